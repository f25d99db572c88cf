"""All loops of one file wired to the engine, on a store of their own: to look only, or to work."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from setpoint import system
from setpoint.drive.installation import known
from setpoint.drive.meter import Tally
from setpoint.drive.ownership import Ownership
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.case import Lever
from setpoint.engine.company import Company
from setpoint.engine.entity import AnyEntity, Ref, Shape
from setpoint.engine.gather import Standards
from setpoint.engine.intent import Intent
from setpoint.engine.journal import Journal
from setpoint.engine.kind import Every, Kind, Kinds, entity_from
from setpoint.engine.limits import Limits
from setpoint.engine.outcome import Door
from setpoint.engine.reconcile import Judged, Reconciler
from setpoint.engine.rows import Installation, Mode
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Store
from setpoint.loop.domain import Domain
from setpoint.loop.footing import footing
from setpoint.loop.inherit import inherit
from setpoint.loop.keyed import Keyed, Terms, checked
from setpoint.loop.start import enrol, first, prepare, ref_of_loop

if TYPE_CHECKING:
    from setpoint.drive.drive import Told
    from setpoint.scheduler.service import Scheduler
    from setpoint.storage.memory import MemoryStore

Reached = Callable[[str], None]

OBSERVING: Final = Lever(Mode.OBSERVE, "this run, which only observes", "run it with --enforce")
PASSES_AT_ONCE: Final = 16
OBSERVING_CALLS: Final = ("desired", "changes", "observe", "sorting")
"""What one observation may call, one after the other."""
SPARE_SECONDS: Final = 1.0
"""The journal waits this much longer than the longest call may take: so the error names the method."""


class Spec(Shape, frozen=True):
    """A loop's declaration says nothing: what it wants is asked at every pass."""


@dataclass(frozen=True, slots=True)
class Station:
    """Everything a verb or a service needs. Loops go by their names."""

    loops: Mapping[str, Keyed]
    terms: Mapping[str, Terms]
    domains: Mapping[str, Domain]
    kinds: Kinds
    store: Store
    runtime: Runtime
    meter: Tally
    reconciler: Reconciler
    ownership: Ownership
    refs: Mapping[str, Ref]

    def scheduler(self, told: "Told") -> "Scheduler":
        """Runs every loop on its interval and whenever it is woken; `told` hears of what goes wrong."""
        from setpoint.scheduler.rehearsal import Rehearsal  # noqa: PLC0415 - a bare plan needs no drive
        from setpoint.scheduler.service import Scheduler  # noqa: PLC0415

        store, kinds, runtime = self.store, self.kinds, self.runtime
        return Scheduler(
            store=store,
            kinds=kinds,
            runtime=runtime,
            reconciler=self.reconciler,
            rehearsal=Rehearsal(store, kinds, runtime, self.reconciler, lambda _: self.reconciler.loops),
            intervals={terms.kind: terms.every for terms in self.terms.values()},
            told=told,
            at_once=PASSES_AT_ONCE,
            ownership=self.ownership,
        )

    @property
    def tenants(self) -> tuple[str, ...]:
        """Whose audit chains there are: the installation's own, then each loop's."""
        return ("", *self.loops)

    def ref(self, name: str) -> Ref:
        return self.refs[name]

    def limits(self, name: str) -> Limits:
        return self.terms[name].limits

    async def entity(self, name: str) -> AnyEntity:
        """The loop with its status; as it would be declared where it never ran."""
        ref = self.refs[name]
        known = await Intent(self.store, self.kinds).entity(ref)
        return known or entity_from(self.kinds, first(self.terms[name], self.runtime.now()), None)

    async def judged(self, name: str) -> Judged:
        """What a pass would do now, and what would be withheld; nothing is changed, not even settled."""
        return await self.reconciler.judged(await self.entity(name), self.domains[name], dry=True)

    async def reconcile(self, name: str) -> float | None:
        """One pass. In how many seconds to look again; None: at the usual interval."""
        return await self.reconciler.run_pass(self.refs[name])

    def close(self) -> None:
        for domain in self.domains.values():
            domain.close()


@dataclass(frozen=True, slots=True)
class Ground:
    """How far a station may go."""

    enforce: bool = False
    reached: Reached = lambda _: None
    outlasts: bool = True  # Whether its memory is kept when it ends; else none can be lost.
    folder: Path | None = None  # Where its memory is.
    begins: bool = False  # Whether it owns the loops from now on, and declares them.


def built(loops: Iterable[Keyed], store: Store, runtime: Runtime, ground: Ground) -> Station:
    """The engine around these loops; Rejected lists what is wrong with one of them."""
    own = {(terms := checked(loop)).name: (loop, terms) for loop in loops}
    meter = Tally(runtime.now)
    domains = {name: Domain(loop, terms, store, runtime.now) for name, (loop, terms) in own.items()}
    kinds = {domain.terms.kind: _kind(domain) for domain in domains.values()}
    longest = max((domain.terms.deadline for domain in domains.values()), default=0.0) + SPARE_SECONDS
    reached = ground.reached
    ownership = Ownership(store, "scheduler", runtime.new_id(), runtime.now, alone=True)
    return Station(
        loops={name: loop for name, (loop, _) in own.items()},
        terms={name: terms for name, (_, terms) in own.items()},
        domains=domains,
        kinds=kinds,
        store=store,
        runtime=runtime,
        meter=meter,
        reconciler=Reconciler(
            store=store,
            kinds=kinds,
            loops={domain.terms.kind: domain for domain in domains.values()},
            journal=Journal(store, kinds, runtime, meter, ownership, call_seconds=longest, reached=reached),
            door=Door(store, kinds, runtime, meter, ownership, reached),
            runtime=runtime,
            meter=meter,
            standards=_standards(tuple(domains.values()), ground),
            company=Company(),
            tenure=ownership,
        ),
        ownership=ownership,
        refs={name: ref_of_loop(domain.terms) for name, domain in domains.items()},
    )


@asynccontextmanager
async def looking(
    loops: Iterable[Keyed], folder: Path, *, reads_only: bool = False
) -> AsyncIterator[Station]:
    """To plan, explain, approve, pause: works while another process has the folder, and enforces nothing.

    Whoever only reads leaves no folder behind where there was none.
    """
    store = await _opened(folder, enforcing=False, reads_only=reads_only)
    async with _station(loops, store, _runtime(), Ground()) as station:
        yield station


@asynccontextmanager
async def working(
    loops: Iterable[Keyed], folder: Path, *, enforce: bool, reached: Reached = lambda _: None
) -> AsyncIterator[Station]:
    """To run: this process has the folder and all work for itself; its loops are declared."""
    store = await _opened(folder, enforcing=True)
    ground = Ground(enforce, reached, folder=folder, begins=True)
    async with _station(loops, store, _runtime(), ground) as station:
        yield station


@asynccontextmanager
async def in_memory(
    loops: Iterable[Keyed], runtime: Runtime, store: "MemoryStore | None" = None
) -> AsyncIterator[Station]:
    """To try: enforcing, on a store that outlives nothing unless it is handed in again."""
    from setpoint.storage.memory import MemoryStore  # noqa: PLC0415 - whoever runs on a database needs it not

    async with _station(
        loops, store or MemoryStore(), runtime, Ground(enforce=True, outlasts=False, begins=True)
    ) as station:
        yield station


@asynccontextmanager
async def _station(
    loops: Iterable[Keyed], store: Store, runtime: Runtime, ground: Ground
) -> AsyncIterator[Station]:
    try:
        station = built(loops, store, runtime, ground)
        try:
            if ground.begins:
                await known(store, Installation(id=runtime.new_id()))
                await station.ownership.keep()
                await enrol(store, runtime, station.terms.values())
                await inherit(station, ground.folder)
            yield station
        finally:
            station.close()
    finally:
        await store.close()


async def _opened(folder: Path, *, enforcing: bool, reads_only: bool = False) -> Store:
    if reads_only and not await asyncio.to_thread(folder.exists):
        from setpoint.storage.memory import MemoryStore  # noqa: PLC0415

        return MemoryStore()
    from setpoint.storage.sqlite import open_sqlite  # noqa: PLC0415

    await asyncio.to_thread(prepare, folder)
    return await open_sqlite(folder, enforcing=enforcing)


def _runtime() -> RealRuntime:
    return RealRuntime(system.now, system.new_id, system.new_random())


def _kind(domain: Domain) -> Kind:
    terms = domain.terms
    return Kind(
        name=terms.kind,
        plural=terms.kind,
        about=(type(domain.loop).__doc__ or "A loop of its own.").strip().splitlines()[0],
        level="installation",
        spec=Spec,
        example={},
        loop=lambda _: domain,
        every=Every(terms.every),
        at_once=terms.at_once,
        # Each call has its own deadline, and its error names the method: the engine waits longer than all.
        observe_seconds=len(OBSERVING_CALLS) * terms.observe_deadline + SPARE_SECONDS,
    )


def _standards(domains: tuple[Domain, ...], ground: Ground) -> Standards:
    terms = {domain.terms.kind: domain.terms for domain in domains}
    # Now, of the code that runs: somebody may edit the file while it does.
    code = {domain.terms.kind: footing(domain.loop) for domain in domains}
    return Standards(
        limits=lambda declared: terms[declared.kind].limits,
        code=lambda kind: code[kind],
        every=lambda kind: terms[kind].every,
        unmarked=ground.outlasts,
        levers=() if ground.enforce else (OBSERVING,),
    )
