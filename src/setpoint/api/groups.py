"""A plan by its causes: a thousand equal changes are one row, and its members are read page by page."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from setpoint.api.history import changes
from setpoint.engine.plan import Action, Verb
from setpoint.secret_fields import is_secret_path, shows_nothing

AnyJson = Any
MOST: Final = 12
"""So many rows one can take in."""
LONGEST: Final = 60
NAMED: Final = 3
ORDER: Final = (Verb.DELETE, Verb.PARK, Verb.REPLACE, Verb.UPDATE, Verb.UNPARK, Verb.CREATE)
"""Worst first: what is taken away is never below what is made."""


class Group(Struct, frozen=True):
    """Changes that have the same cause."""

    key: str
    verb: Verb
    cause: str
    count: int
    asked: int
    """How many of them a yes is about."""
    named: tuple[str, ...]
    """The first few of its items."""


class _Row(Struct, frozen=True):
    cause: str
    actions: list[Action]


def grouped(actions: Sequence[Action], asked: Collection[str] = ()) -> list[Group]:
    """Rows, what is taken away on top; coarser and coarser until one can take them in."""
    about = frozenset(asked)
    return [_group(key, row, about) for key, row in _gathered(actions).items()]


def by_group(actions: Sequence[Action]) -> dict[str, list[Action]]:
    """The changes of every row, by its key."""
    return {key: row.actions for key, row in _gathered(actions).items()}


def members(actions: Sequence[Action], key: str) -> list[Action]:
    """The changes of one row."""
    row = _gathered(actions).get(key)
    return row.actions if row else []


def _group(key: str, row: _Row, about: frozenset[str]) -> Group:
    return Group(
        key=key,
        verb=row.actions[0].verb,
        cause=row.cause,
        count=len(row.actions),
        asked=sum(action.item in about for action in row.actions),
        named=tuple(action.item for action in row.actions[:NAMED]),
    )


def _gathered(actions: Sequence[Action]) -> dict[str, _Row]:
    ranked = sorted(actions, key=lambda action: ORDER.index(action.verb))
    found: dict[str, _Row] = {}
    for way in (_exactly, _roughly, _plainly):
        found = {}
        for action in ranked:
            cause = way(action) or _plainly(action)
            found.setdefault(_key(action, cause), _Row(cause, [])).actions.append(action)
        if len(found) <= MOST:
            break
    return found


def _key(action: Action, cause: str) -> str:
    line = msgspec.json.encode([action.verb, action.explicit, action.protected, cause])
    return hashlib.blake2b(line, digest_size=8).hexdigest()


def _exactly(action: Action) -> str:
    """From what to what; of a secret only that it differs."""
    return _clipped(f"{field} {before} → {after}" for field, before, after in _differences(action))


def _roughly(action: Action) -> str:
    return _clipped(field for field, _, _ in _differences(action))


def _plainly(action: Action) -> str:
    if action.protected:
        return "protected"
    if action.destructive:
        return "asked for by name" if action.explicit else "no longer declared"
    return "declared, and not there" if action.verb is Verb.CREATE else "differs from what is declared"


def _differences(action: Action) -> list[tuple[str, str, str]]:
    if action.verb not in (Verb.UPDATE, Verb.REPLACE):
        return []
    return [
        (each["field"] or "value", _said(each, "before"), _said(each, "after"))
        for each in changes(action.before, action.after)
    ]


def _said(change: Mapping[str, AnyJson], side: str) -> str:
    value = change.get(side)
    if value is None or value == "":
        return "nothing"
    if is_secret_path(change["field"]) and not shows_nothing(value):
        return "(secret)"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _clipped(parts: Iterable[str]) -> str:
    text = ", ".join(parts)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
