"""Each named query, answered from rows in memory; the sentences are beside the SQL."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

import msgspec

from setpoint.engine.entity import Declared, Scope, Status, canonical
from setpoint.engine.ledger import Budget, Parked, Protection, Released
from setpoint.engine.record import Kept, Recorded
from setpoint.engine.rows import (
    Act,
    Approval,
    Audit,
    Event,
    PlanRow,
    Replica,
    Shard,
    Sign,
    Switch,
    Task,
    Wake,
)
from setpoint.engine.store import AnyRow
from setpoint.storage import overview, people, requests, sealed, tenants
from setpoint.storage.shelf import Shelf

RowT = TypeVar("RowT")
_LATEST: Final = 20


class Rows(Protocol):
    """What a memory store holds."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]
    events: dict[str, list[Event]]
    events_by_ref: dict[str, list[Event]]
    audit: dict[str, list[Audit]]
    signs: dict[str, Sign]


def declared_at(rows: Rows, slot: str) -> list[Declared]:
    return rows.shelves[Declared].where("slot", slot)


def declared_in(rows: Rows, slots: str) -> list[Declared]:
    return [row for slot in _listed(slots) for row in declared_at(rows, slot)]


def declared_page(rows: Rows, kind: str, after: str, limit: int, **scope: str) -> list[Declared]:
    found = (row for row in declared_inside(rows, **scope) if kind in ("", row.kind) and row.ref > after)
    return _first(found, limit)


def declared_inside(rows: Rows, organization: str, project: str, workspace: str) -> list[Declared]:
    scope = Scope(organization, project, workspace)
    shelf = rows.shelves[Declared]
    among = shelf.where("organization", organization) if organization else shelf.all()
    return [row for row in among if scope.holds(row.scope)]


def declared_children(rows: Rows, parent: str) -> list[Declared]:
    return rows.shelves[Declared].where("parent", parent)


def declared_referring(rows: Rows, ref: str) -> list[Declared]:
    return rows.shelves[Declared].where("refs", ref)


def declared_owned(rows: Rows, organization: str, owner: str) -> list[Declared]:
    there = rows.shelves[Declared].where("organization", organization)
    return [row for row in there if row.owner and row.owner == owner]


def declared_all(rows: Rows, after: str, limit: int) -> list[Declared]:
    return _first((row for row in rows.shelves[Declared].all() if row.ref > after), limit)


def declared_of(rows: Rows, refs: str) -> list[Declared]:
    found = (rows.shelves[Declared].get(ref) for ref in _listed(refs))
    return [declared for declared in found if declared is not None]


def statuses(rows: Rows, refs: str) -> list[Status]:
    found = (rows.shelves[Status].get(ref) for ref in _listed(refs))
    return [status for status in found if status is not None]


def wakes_of(rows: Rows, ref: str) -> list[Wake]:
    return rows.shelves[Wake].where("ref", ref)


def wakes_after(rows: Rows, after: str, limit: int) -> list[Wake]:
    return _first((wake for wake in rows.shelves[Wake].all() if wake.id > after), limit)


def acts_open(rows: Rows, domain: str) -> list[Act]:
    return [act for act in rows.shelves[Act].where("open", True) if domain in ("", act.domain)]


def acts_since(rows: Rows, domain: str, since: float) -> list[Act]:
    found = [act for act in rows.shelves[Act].where("domain", domain) if act.began_at >= since]
    return sorted(found, key=lambda act: (act.began_at, act.id))


def acts_of(rows: Rows, ids: str) -> list[Act]:
    found = (rows.shelves[Act].get(identity) for identity in _listed(ids))
    return [act for act in found if act is not None]


def acts_page(rows: Rows, domain: str, after: str, limit: int) -> list[Act]:
    return _newest(_among(rows, Act, "domain", domain), after, limit)


def plans_of(rows: Rows, ref: str) -> list[PlanRow]:
    return _newest(rows.shelves[PlanRow].where("ref", ref), "", _LATEST)


def plans_page(rows: Rows, organization: str, state: str, after: str, limit: int) -> list[PlanRow]:
    found = [
        plan for plan in _among(rows, PlanRow, "organization", organization) if state in ("", plan.state)
    ]
    return _newest(found, after, limit)


def approvals_of(rows: Rows, ref: str) -> list[Approval]:
    return rows.shelves[Approval].where("ref", ref)


def switches(rows: Rows) -> list[Switch]:
    return rows.shelves[Switch].all()


def switches_of(rows: Rows, keys: str) -> list[Switch]:
    found = (rows.shelves[Switch].get(key) for key in _listed(keys))
    return [switch for switch in found if switch is not None]


def tasks_of(rows: Rows, target: str) -> list[Task]:
    return _newest(rows.shelves[Task].where("target", target), "", _LATEST)


def tasks_open(rows: Rows) -> list[Task]:
    return rows.shelves[Task].where("open", True)


def tasks_page(rows: Rows, organization: str, after: str, limit: int) -> list[Task]:
    return _newest(_among(rows, Task, "organization", organization), after, limit)


def events_after(rows: Rows, organization: str, after: int, limit: int) -> list[Event]:
    return _since(rows.events.get(organization, []), after, limit)


def events_of(rows: Rows, ref: str, limit: int) -> list[Event]:
    found = rows.events_by_ref.get(ref, ())
    return sorted(found, key=lambda event: (-event.revision, event.organization))[:limit]


def first_event_of(rows: Rows, ref: str) -> list[Event]:
    found = sorted(rows.events_by_ref.get(ref, ()), key=lambda event: event.organization, reverse=True)
    return sorted(found, key=lambda event: event.revision)[:1]


def audit_page(rows: Rows, organization: str, after: int, limit: int) -> list[Audit]:
    return _since(rows.audit.get(organization, []), after, limit)


def audit_back(rows: Rows, organization: str, after: int, limit: int) -> list[Audit]:
    back = reversed(rows.audit.get(organization, []))
    return _first((line for line in back if line.revision < after), limit)


def protections_of(rows: Rows, domain: str) -> list[Protection]:
    return rows.shelves[Protection].where("domain", domain)


def released_of(rows: Rows, domain: str) -> list[Released]:
    return rows.shelves[Released].where("domain", domain)


def parked_of(rows: Rows, domain: str) -> list[Parked]:
    return rows.shelves[Parked].where("domain", domain)


def passes_page(rows: Rows, ref: str, after: str, limit: int) -> list[Recorded]:
    return _newest(_among(rows, Recorded, "ref", ref), after, limit)


def passes_in(rows: Rows, organization: str, after: str, limit: int) -> list[Recorded]:
    return _newest(_among(rows, Recorded, "organization", organization), after, limit)


def passes_oldest(rows: Rows, before: float, limit: int) -> list[Recorded]:
    found = sorted(rows.shelves[Recorded].all(), key=lambda row: (row.at, row.id))
    return _first((row for row in found if row.at < before), limit)


def passes_kept(rows: Rows) -> list[Kept]:
    kept = rows.shelves[Recorded].all()
    return [Kept(passes=len(kept), bytes=sum(len(canonical(row)) for row in kept))]


def budgets(rows: Rows) -> list[Budget]:
    return rows.shelves[Budget].all()


def shards_of(rows: Rows, service: str) -> list[Shard]:
    return [shard for shard in rows.shelves[Shard].all() if shard.service == service]


def replicas_of(rows: Rows, service: str) -> list[Replica]:
    return [replica for replica in rows.shelves[Replica].all() if replica.service == service]


def signs(rows: Rows, refs: str) -> list[Sign]:
    return [rows.signs[ref] for ref in _listed(refs) if ref in rows.signs]


_OTHERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer
    for answer in (
        declared_at,
        declared_in,
        declared_page,
        declared_inside,
        declared_children,
        declared_referring,
        declared_owned,
        declared_all,
        declared_of,
        statuses,
        wakes_of,
        wakes_after,
        acts_open,
        acts_since,
        acts_of,
        acts_page,
        plans_of,
        plans_page,
        approvals_of,
        switches,
        switches_of,
        tasks_of,
        tasks_open,
        tasks_page,
        events_after,
        events_of,
        first_event_of,
        protections_of,
        released_of,
        parked_of,
        passes_page,
        passes_in,
        passes_oldest,
        passes_kept,
        budgets,
        audit_page,
        audit_back,
        shards_of,
        replicas_of,
        signs,
    )
}
_PARTS: Final = (overview, people, requests, sealed, tenants)
ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    **_OTHERS,
    **{name: each for part in _PARTS for name, each in part.ANSWERS.items()},
}


def _first(found: Iterable[RowT], limit: int) -> list[RowT]:
    return list(islice(found, limit))


def _newest(found: Sequence[AnyRow], after: str, limit: int) -> list[Any]:
    return _first((row for row in reversed(found) if after == "" or row.id < after), limit)


def _since(lines: Sequence[AnyRow], after: int, limit: int) -> list[Any]:
    start = bisect_right(lines, after, key=lambda line: line.revision)
    return list(lines[start : start + limit])


def _among(rows: Rows, row: type[AnyRow], attribute: str, value: str) -> list[Any]:
    """The rows with this value of the attribute; "" means any."""
    shelf = rows.shelves[row]
    return shelf.where(attribute, value) if value else shelf.all()


def _listed(values: str) -> list[str]:
    return sorted(set(msgspec.json.decode(values, type=list[str])))
