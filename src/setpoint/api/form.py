"""What is wrong with declarations by themselves: names, levels, repeated names, and what each kind checks."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from setpoint.engine.draft import Declaration
from setpoint.engine.entity import Scope
from setpoint.engine.errors import Mistake
from setpoint.engine.kind import Kinds, level_of

NAME: Final = re.compile(r"[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?\Z")
LEVELS: Final = ("installation", "organization", "project", "workspace")


def form_mistakes(item: Declaration, kinds: Kinds) -> Iterator[Mistake]:
    """Name, level and what the kind itself checks."""
    kind = kinds[item.kind]
    if not NAME.match(item.name):
        yield Mistake(
            pointer=f"{item.pointer}/metadata/name",
            code="bad_name",
            message=f"{item.name!r} is no name: up to 63 of a-z 0-9 . _ -, a letter or digit at each end",
        )
    if level_of(item.scope) != kind.level:
        yield Mistake(
            pointer=f"{item.pointer}/metadata",
            code="wrong_scope",
            message=f"a {kind.name} lives in {_a(kind.level)}, not in {_a(level_of(item.scope))}",
            hint=f"give {', '.join(LEVELS[1 : LEVELS.index(kind.level) + 1]) or 'no scope at all'}",
        )
    if kind.check is not None and item.sound:
        for field, message in kind.check(msgspec.convert(item.spec, kind.spec)):
            yield Mistake(pointer=f"{item.pointer}/spec/{field}", code="bad_value", message=message)


def repeated(items: Sequence[Declaration]) -> Iterator[Mistake]:
    """The same name twice in one request."""
    first: dict[tuple[str, Scope, str], str] = {}
    for item in items:
        place = (item.kind, item.scope, item.name)
        if place in first:
            message = f"{item.kind} {item.name} is declared twice; first at {first[place] or 'the start'}"
            yield Mistake(pointer=f"{item.pointer}/metadata/name", code="duplicate_name", message=message)
        first.setdefault(place, item.pointer)


def _a(level: str) -> str:
    return f"an {level}" if level[0] in "aeio" else f"a {level}"
