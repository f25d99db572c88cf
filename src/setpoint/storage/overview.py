"""How everything stands, answered from rows in memory; the sentences are beside the SQL."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from msgspec import json

from setpoint.engine.entity import Declared, Scope, State, Status
from setpoint.engine.ledger import Ledger
from setpoint.engine.rows import Event, Tally
from setpoint.engine.store import AnyRow
from setpoint.storage.shelf import Shelf

_WORST: Final = (State.FAILED, State.HELD, State.DEGRADED, State.PENDING)


class Rows(Protocol):
    """What a memory store holds of it."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]
    events: dict[str, list[Event]]


def tallies(rows: Rows, **scope: str) -> list[Tally]:
    found: Counter[tuple[str, str, str, str]] = Counter()
    for row in _inside(rows, **scope):
        status = rows.shelves[Status].get(row.ref)
        state = status.state if status is not None else ""
        found[row.kind, row.scope.project, row.scope.workspace, state] += 1
    return [
        Tally(kind=kind, scope=Scope(scope["organization"], *place), state=state, count=count)
        for (kind, *place, state), count in sorted(found.items())
    ]


def unwell(rows: Rows, limit: int, **scope: str) -> list[Declared]:
    states = {row.ref: rows.shelves[Status].get(row.ref) for row in _inside(rows, **scope)}
    ranked = [
        (_WORST.index(status.state), row.ref, row)
        for row in _inside(rows, **scope)
        if (status := states[row.ref]) is not None and status.state in _WORST
    ]
    return [row for _, _, row in sorted(ranked, key=lambda each: each[:2])[:limit]]


def events_before(rows: Rows, organization: str, below: int, limit: int) -> list[Event]:
    lines = rows.events.get(organization, [])
    end = bisect_left(lines, below, key=lambda line: line.revision)
    return list(reversed(lines[max(0, end - limit) : end]))


def ledgers_of(rows: Rows, refs: str) -> list[Ledger]:
    found = (rows.shelves[Ledger].get(ref) for ref in sorted(json.decode(refs)))
    return [ledger for ledger in found if ledger is not None]


ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer for answer in (tallies, unwell, events_before, ledgers_of)
}


def _inside(rows: Rows, organization: str, project: str, workspace: str) -> list[Declared]:
    scope = Scope(organization, project, workspace)
    found: list[Declared] = rows.shelves[Declared].where("organization", organization)
    return [row for row in found if scope.holds(row.scope)]
