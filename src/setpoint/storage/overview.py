"""How everything stands, answered from rows in memory; the sentences are beside the SQL."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from msgspec import json

from setpoint.engine.entity import Declared, Scope, State, Status, canonical
from setpoint.engine.ledger import Ledger
from setpoint.engine.rows import Event, Head, Holding, Tally
from setpoint.engine.store import AnyRow
from setpoint.storage.shelf import Shelf

AnyScalar = Any
Asked = Mapping[str, AnyScalar]
Mark = tuple[str | float, str]


class Rows(Protocol):
    """What a memory store holds of it."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]
    events: dict[str, list[Event]]


def tallies(rows: Rows, **scope: str) -> list[Tally]:
    found: Counter[tuple[str, str, str, str]] = Counter()
    for row in _inside(rows, **scope):
        found[row.kind, row.scope.project, row.scope.workspace, _state(rows, row, "")] += 1
    return [
        Tally(kind=kind, scope=Scope(scope["organization"], *place), state=state, count=count)
        for (kind, *place, state), count in sorted(found.items())
    ]


def holding(rows: Rows, organization: str) -> list[Holding]:
    among = rows.shelves[Declared].where("organization", organization)
    return [Holding(objects=len(among), bytes=sum(len(canonical(row)) for row in among))]


def unwell(rows: Rows, limit: int, **asked: str) -> list[Declared]:
    if asked["state"] == State.READY:
        return []
    return declared_by_created(rows, limit, **{**asked, "unseen": ""})


def declared_by_created(rows: Rows, limit: int, after: str, **asked: AnyScalar) -> list[Declared]:
    return [row for row in _wanted(rows, **asked) if row.ref > after][:limit]


def declared_by_created_down(rows: Rows, limit: int, after: str, **asked: AnyScalar) -> list[Declared]:
    return [row for row in reversed(_wanted(rows, **asked)) if row.ref < after][:limit]


def declared_by_name(rows: Rows, limit: int, **asked: AnyScalar) -> list[Declared]:
    return _beyond(_wanted(rows, **asked), _by_name, asked)[:limit]


def declared_by_name_down(rows: Rows, limit: int, **asked: AnyScalar) -> list[Declared]:
    return _before(_wanted(rows, **asked), _by_name, asked)[:limit]


def declared_by_changed(rows: Rows, limit: int, **asked: AnyScalar) -> list[Declared]:
    return _beyond(_wanted(rows, **asked), _by_change, asked)[:limit]


def declared_by_changed_down(rows: Rows, limit: int, **asked: AnyScalar) -> list[Declared]:
    return _before(_wanted(rows, **asked), _by_change, asked)[:limit]


def heads_page(rows: Rows, after: str, limit: int) -> list[Head]:
    known = sorted(rows.shelves[Head].all(), key=lambda head: head.organization)
    return [head for head in known if head.organization > after][:limit]


def events_before(rows: Rows, organization: str, below: int, limit: int) -> list[Event]:
    lines = rows.events.get(organization, [])
    end = bisect_left(lines, below, key=lambda line: line.revision)
    return list(reversed(lines[max(0, end - limit) : end]))


def ledgers_of(rows: Rows, refs: str) -> list[Ledger]:
    found = (rows.shelves[Ledger].get(ref) for ref in sorted(json.decode(refs)))
    return [ledger for ledger in found if ledger is not None]


ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer
    for answer in (
        tallies,
        holding,
        unwell,
        declared_by_created,
        declared_by_created_down,
        declared_by_name,
        declared_by_name_down,
        declared_by_changed,
        declared_by_changed_down,
        heads_page,
        events_before,
        ledgers_of,
    )
}


def _by_name(row: Declared) -> Mark:
    return row.name, row.ref


def _by_change(row: Declared) -> Mark:
    return row.changed_at, row.ref


def _beyond(found: list[Declared], mark: Callable[[Declared], Mark], asked: Asked) -> list[Declared]:
    place = asked["value"], asked["after"]
    return [row for row in sorted(found, key=mark) if mark(row) > place]


def _before(found: list[Declared], mark: Callable[[Declared], Mark], asked: Asked) -> list[Declared]:
    place = asked["value"], asked["after"]
    return [row for row in sorted(found, key=mark, reverse=True) if mark(row) < place]


def _wanted(rows: Rows, **asked: AnyScalar) -> list[Declared]:
    inside = _inside(rows, asked["organization"], asked["project"], asked["workspace"])
    named = [row for row in inside if asked["kind"] in ("", row.kind) and asked["text"] in row.words]
    return [row for row in named if asked["state"] in ("", _state(rows, row, asked["unseen"]))]


def _state(rows: Rows, row: Declared, unseen: str) -> str:
    status = rows.shelves[Status].get(row.ref)
    return status.state if status is not None else unseen


def _inside(rows: Rows, organization: str, project: str, workspace: str) -> list[Declared]:
    scope = Scope(organization, project, workspace)
    found: list[Declared] = rows.shelves[Declared].where("organization", organization)
    return [row for row in found if scope.holds(row.scope)]
