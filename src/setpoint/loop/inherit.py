"""A loop under another name goes on with what it remembered: it is known by what it holds, not by its name.

A loop without a memory of its own is compared with those that no file runs any more: in its own state folder,
where a class was renamed, and in the folders of files that are gone. The one that knew most of what is
there now is moved over, with its open acts; then the old place forgets it, so that it counts once.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import FAILURES
from setpoint.engine.ledger import Ledger, Parked, Protection, Released, item_key
from setpoint.engine.rows import Act, PlanRow, PlanState, Switch, evidence
from setpoint.engine.store import (
    ACTS_OPEN,
    ACTS_SINCE,
    APPROVALS_OF,
    DECLARED_ALL,
    PARKED_OF,
    PLANS_OF,
    PROTECTIONS_OF,
    RELEASED_OF,
    AnyRow,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)
from setpoint.loop.file import STATE

if TYPE_CHECKING:
    from setpoint.loop.station import Station

ENOUGH: Final = 1000  # Loops of one folder.
UNDECIDED: Final = (PlanState.HELD, PlanState.APPROVED, PlanState.REJECTED)


class Left(Struct, frozen=True):
    """A memory that no loop uses any more, and where it is kept."""

    store: Store
    ledger: Ledger
    place: str


async def inherit(station: "Station", folder: Path | None) -> None:
    """Moves what was remembered under another name to the loops that remember nothing."""
    new = [name for name in station.loops if not await _has_looked(station, name)]
    if not new:
        return
    async with _left_behind(station, folder) as left:
        for name in new if left else ():
            if (found := best(left, await _seen(station, name))) is not None:
                await _move(station, name, found)
                left.remove(found)


def best(left: Iterable[Left], seen: frozenset[str]) -> Left | None:
    """The memory that shares most with what is there now: more than half of either. Of two alike the last."""
    shared = [(len(seen.intersection(each.ledger.known)), each.ledger.looked_at, each) for each in left]
    fitting = [each for each in shared if 2 * each[0] > max(len(seen), len(each[2].ledger.known))]
    return max(fitting, key=lambda each: each[:2])[2] if fitting else None


async def _has_looked(station: "Station", name: str) -> bool:
    ledger = await station.store.get(Ledger, station.refs[name])
    return ledger is not None and ledger.looked_at > 0


async def _seen(station: "Station", name: str) -> frozenset[str]:
    """What is there; nothing where it cannot be seen now: then nothing is moved, and the loop begins anew."""
    domain, entity = station.domains[name], await station.entity(name)
    patience = station.kinds[entity.declared.kind].observe_seconds
    try:
        snapshot = await station.runtime.within(patience, domain.observe(entity))
    except FAILURES:
        return frozenset()
    return domain.plan(entity, snapshot, station.runtime.now()).known


@asynccontextmanager
async def _left_behind(station: "Station", folder: Path | None) -> AsyncIterator[list[Left]]:
    """Memories of loops that no file has any more. Their folders are ours as long as this lasts."""
    async with AsyncExitStack() as stack:
        used = frozenset(station.refs.values())
        found = await _ledgers_in(station.store, used, "this file")
        for orphan in await asyncio.to_thread(orphans, folder) if folder else ():
            if (store := await _opened(orphan)) is not None:
                stack.push_async_callback(store.close)
                found += await _ledgers_in(store, frozenset(), f"{orphan.name}.py")
        yield found


def orphans(folder: Path) -> list[Path]:
    """State folders beside this one whose file is gone."""
    if folder.parent.name != STATE or not folder.parent.is_dir():
        return []
    beside = sorted(
        each for each in folder.parent.iterdir() if each != folder and (each / "setpoint.db").is_file()
    )
    return [each for each in beside if not (folder.parent.parent / f"{each.name}.py").exists()]


async def _opened(folder: Path) -> Store | None:
    """None where another process still has it, or where there is no store that can be read."""
    from setpoint.storage.sqlite import open_sqlite  # noqa: PLC0415 - only where a file was renamed

    try:
        return await open_sqlite(folder, enforcing=True)
    except (*FAILURES, OSError):
        return None


async def _ledgers_in(store: Store, used: frozenset[Ref], file: str) -> list[Left]:
    rows = await store.read(DECLARED_ALL, after="", limit=ENOUGH)
    ledgers = [(row, await store.get(Ledger, row.ref)) for row in rows if row.ref not in used]
    return [Left(store, ledger, f"{row.name} in {file}") for row, ledger in ledgers if ledger is not None]


async def _move(station: "Station", name: str, left: Left) -> None:
    """First it is here, then it is nowhere else: who dies between has it twice, never not at all."""
    declared = (await station.entity(name)).declared
    since = station.runtime.now() - station.reconciler.standards.window(declared)
    rows = await _rows(left.store, left.ledger.ref, since)
    puts = tuple(Put(_as_of(row, declared)) for row in (left.ledger, *rows))
    drops = tuple(Drop(type(row), _key(row)) for row in (left.ledger, *rows) if not isinstance(row, Act))
    known = len(left.ledger.known)
    line = evidence(
        declared, "the loop file", "memory.moved", station.runtime.now(), of=left.place, known=known
    )
    here = Expect(Ledger, declared.ref)
    if left.store is station.store:
        await station.store.commit(Change((here,), (*drops, *puts), audit=(line,)))
        return
    await station.store.commit(Change((here,), puts, audit=(line,)))
    await left.store.commit(Change(writes=drops))


async def _rows(store: Store, ref: Ref, since: float) -> list[AnyRow]:
    """All that a judgement or a person's decision rests on, besides the ledger."""
    acts = {act.id: act for act in await store.read(ACTS_OPEN, domain=ref)}
    acts |= {act.id: act for act in await store.read(ACTS_SINCE, domain=ref, since=since)}
    plans = [row for row in await store.read(PLANS_OF, ref=ref) if row.state in UNDECIDED]
    switch = await store.get(Switch, f"domain:{ref}")
    return [
        *acts.values(),
        *plans,
        *await store.read(APPROVALS_OF, ref=ref),
        *await store.read(PROTECTIONS_OF, domain=ref),
        *await store.read(RELEASED_OF, domain=ref),
        *await store.read(PARKED_OF, domain=ref),
        *((switch,) if switch else ()),
    ]


def _as_of(row: AnyRow, declared: Declared) -> AnyRow:
    """The same, about this loop."""
    ref = declared.ref
    match row:
        case Act():
            return replace(row, domain=ref, organization=declared.tenant)
        case PlanRow():
            return replace(row, ref=ref, kind=declared.kind, name=declared.name)
        case Protection() | Released() | Parked():
            return replace(row, domain=ref, key=item_key(ref, row.item))
        case Switch():
            return replace(row, key=f"domain:{ref}")
        case _:
            return replace(row, ref=ref)


def _key(row: AnyRow) -> str:
    match row:
        case Ledger():
            return row.ref
        case Protection() | Released() | Parked() | Switch():
            return row.key
        case _:
            return str(row.id)
