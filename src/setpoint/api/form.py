"""What is wrong with declarations by themselves: names, levels, repeated names, and what each kind checks."""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from setpoint.api.address import LEVELS
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import AnyJson, Scope, Shape
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kind, Kinds, level_of

NAME: Final = re.compile(r"[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?\Z")
NAME_RULE: Final = "up to 63 of a-z 0-9 . _ -, a letter or digit at each end"
NOT_PLAIN: Final = "it is spelt so that it could be taken for another one"


def rejected(mistakes: Sequence[Mistake], end: str = "nothing was stored") -> Rejected:
    """All mistakes at once, counted."""
    noun = "mistake" if len(mistakes) == 1 else "mistakes"
    return Rejected(f"{len(mistakes)} {noun}; {end}", tuple(mistakes))


def form_mistakes(item: Declaration, kinds: Kinds) -> Iterator[Mistake]:
    """Level and what the kind itself checks."""
    kind = kinds[item.kind]
    if kind.by_machine:
        message = f"{_a(kind.name)} declares itself; people read and delete it"
        yield Mistake(pointer=f"{item.pointer}/kind", code="by_machine", message=message)
    if level_of(item.scope) != kind.level:
        yield Mistake(
            pointer=f"{item.pointer}/metadata",
            code="wrong_scope",
            message=f"{_a(kind.name)} lives in {_a(kind.level)}, not in {_a(level_of(item.scope))}",
            hint=f"give {', '.join(LEVELS[1 : LEVELS.index(kind.level) + 1]) or 'no scope at all'}",
        )
    if kind.check is not None and (spec := _readable(item, kind)) is not None:
        for field, message in kind.check(spec):
            yield Mistake(pointer=f"{item.pointer}/spec/{field}", code="bad_value", message=message)


def _readable(item: Declaration, kind: Kind) -> Shape | None:
    """Its spec as far as it can be read: one wrong field must not hide what is wrong with the others."""
    known = (
        item.spec if item.sound else {k: v for k, v in item.spec.items() if k in _readable_fields(item, kind)}
    )
    try:
        return msgspec.convert(known, kind.spec)
    except msgspec.ValidationError:
        return None  # What is wrong there was said already.


def _readable_fields(item: Declaration, kind: Kind) -> Container[str]:
    """The fields it knows, but for those that may be left out and do not fit."""
    return {
        field.encode_name
        for field in msgspec.structs.fields(kind.spec)
        if field.required or _fits(item.spec.get(field.encode_name), field.type)
    }


def _fits(value: AnyJson, wanted: AnyJson) -> bool:
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return False
    return True


def name_mistakes(name: AnyJson, pointer: str) -> Iterator[Mistake]:
    """What is wrong with a name, whatever it is the name of."""
    if isinstance(name, str) and name and not NAME.match(name):
        message = f"{name[:64]!r} is no name: {NAME_RULE}"
        yield Mistake(pointer=f"{pointer}/metadata/name", code="bad_name", message=message)


def is_plain(text: str) -> bool:
    """Whether it is spelt as everybody would read it (NFKC), so that no two look the same."""
    return unicodedata.is_normalized("NFKC", text) and text.isprintable()


def repeated(items: Sequence[Declaration]) -> Iterator[Mistake]:
    """The same name twice in one request."""
    first: dict[tuple[str, Scope, str], str] = {}
    for item in items:
        place = (item.kind, item.scope, item.name)
        if place in first:
            message = f"{item.kind} {item.name} is declared twice; first at {first[place] or 'the start'}"
            yield Mistake(pointer=f"{item.pointer}/metadata/name", code="duplicate_name", message=message)
        first.setdefault(place, item.pointer)


def reason_mistakes(fields: Mapping[str, AnyJson]) -> Iterator[Mistake]:
    """What a person decides is kept with the reason for it."""
    reason = fields.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        yield Mistake(pointer="/reason", code="missing", message="say why, in a field called reason")


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"
