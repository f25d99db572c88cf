"""What is wrong with declarations by themselves: names, levels, repeated names, and what each kind checks."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from setpoint.api.address import LEVELS
from setpoint.engine.draft import Declaration, readable
from setpoint.engine.entity import AnyJson, Scope
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kinds, level_of
from setpoint.words import add_article

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
        message = f"{add_article(kind.name)} declares itself; people read and delete it"
        yield Mistake(pointer=f"{item.pointer}/kind", code="by_machine", message=message)
    if level_of(item.scope) != kind.level:
        home, here = add_article(kind.level), add_article(level_of(item.scope))
        yield Mistake(
            pointer=f"{item.pointer}/metadata",
            code="wrong_scope",
            message=f"{add_article(kind.name)} lives in {home}, not in {here}",
            hint=f"give {', '.join(LEVELS[1 : LEVELS.index(kind.level) + 1]) or 'no scope at all'}",
        )
    if kind.check is not None and (spec := readable(item, kind)) is not None:
        for field, message in kind.check(spec):
            yield Mistake(pointer=f"{item.pointer}/spec/{field}", code="bad_value", message=message)


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
