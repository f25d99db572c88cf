"""A loop under a virtual clock: a day of passes in a moment, with every guard on and nothing left behind.

with trial(Flags()) as t:           # or: async with trial(Flags()) as t:
    t.run_for("24h")                #         await t.run_for("24h")
    assert t.status().state == "READY"
"""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeVar

from setpoint.engine import approval
from setpoint.engine.agenda import NEVER
from setpoint.engine.entity import State, Status
from setpoint.engine.errors import Missing
from setpoint.engine.plan import Plan
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, HoldRow, PlanRow, PlanState
from setpoint.loop.keyed import Keyed, seconds
from setpoint.loop.station import Station, in_memory
from setpoint.storage.memory import MemoryStore

ResultT = TypeVar("ResultT")
AnyRow = Any

START: Final = 1_700_000_000.0
AT_ONE_MOMENT: Final = 200
"""So many passes without time going by, and the loop is taken for one that never comes to rest."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One look at one loop: when, and how it stood afterwards."""

    loop: str
    at: float
    state: State
    reason: str


class VirtualRuntime:
    """Time that moves only when it is moved; chance and ids that are the same every time."""

    def __init__(self, seed: int = 0) -> None:
        self.time = START
        self._random = Random(seed)  # noqa: S311 - the same every time, on purpose
        self._ids = 0

    def now(self) -> float:
        return self.time

    def chance(self) -> float:
        return self._random.random()

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:08d}"

    async def give_way(self) -> None:
        await asyncio.sleep(0)

    async def within(self, seconds: float, work: Awaitable[ResultT]) -> ResultT:
        """Virtual time stands still meanwhile; a call's own deadline is real."""
        return await work

    async def each(self, works: Sequence[Awaitable[ResultT]]) -> Sequence[ResultT | BaseException]:
        return await asyncio.gather(*works, return_exceptions=True)


class Trial:
    """Loops on a store in memory; passes are run when they are due in virtual time."""

    def __init__(self, station: Station, runtime: VirtualRuntime, store: MemoryStore) -> None:
        self.station, self.runtime = station, runtime
        self._store = store
        self._due = dict.fromkeys(station.loops, runtime.time)
        self._passes: list[Pass] = []

    @property
    def now(self) -> float:
        return self.runtime.time

    @property
    def passes(self) -> tuple[Pass, ...]:
        """Every look so far, the oldest first."""
        return tuple(self._passes)

    @property
    def acts(self) -> tuple[Act, ...]:
        """Every call that changed something, or tried to, the oldest first."""
        return tuple(self._rows(Act))

    @property
    def holds(self) -> tuple[HoldRow, ...]:
        """Everything that was withheld so far; the same decision pass after pass counts once."""
        return tuple(hold for recorded in self._rows(Recorded) for hold in recorded.verdict.holds)

    @property
    def plans(self) -> tuple[PlanRow, ...]:
        """Every plan that waited for a person."""
        return tuple(self._rows(PlanRow))

    def status(self, loop: str = "") -> Status:
        """How the loop stands; with several of them, say which."""
        ref = self.station.ref(self._named(loop))
        found: Status | None = self._store.shelves[Status].get(ref)
        return found or Status(ref=ref)

    async def run_for(self, span: str | float) -> None:
        """Every pass that is due within this time, retries and back-off included."""
        until, moment, here = self.runtime.time + seconds(span), -1.0, 0
        while (due := min(self._due.items(), key=lambda each: each[1], default=None)) and due[1] < until:
            loop, at = due
            self.runtime.time = max(self.runtime.time, at)
            here = here + 1 if self.runtime.time == moment else 0
            moment = self.runtime.time
            if here > AT_ONE_MOMENT:
                raise AssertionError(f"{loop} never comes to rest: {self.status(loop).reason}")
            await self.run_once(loop)
        self.runtime.time = until

    async def run_once(self, loop: str = "") -> None:
        """One pass, now."""
        loop = self._named(loop)
        again = await self.station.reconcile(loop)
        every = self.station.terms[loop].every
        wait = every if again is None else again
        self._due[loop] = self.runtime.time + (every if wait == NEVER else wait)
        status = self.status(loop)
        self._passes.append(Pass(loop, self.runtime.time, status.state, status.reason))

    async def plan(self, loop: str = "") -> Plan:
        """What a pass would do now; nothing is done."""
        return (await self.station.judged(self._named(loop))).plan

    async def approve(self, loop: str = "", reason: str = "in a trial") -> None:
        """A person says yes to the plan that is held; the next pass goes by it."""
        loop, now = self._named(loop), self.runtime.time
        ref, limits = self.station.ref(loop), self.station.limits(loop)
        held = [plan for plan in self.plans if plan.ref == ref and plan.state is PlanState.HELD]
        if not held:
            raise Missing(f"no plan of {loop} waits for a person")
        times = (now, now + limits.approval_seconds)
        yes = approval.granted(
            held[-1], identity=self.runtime.new_id(), actor="tester", reason=reason, times=times
        )
        await self._store.commit(approval.approve(held[-1], yes))
        self._due[loop] = now

    def _named(self, loop: str) -> str:
        names = tuple(self.station.loops)
        if loop in names or (not loop and len(names) == 1):
            return loop or names[0]
        raise Missing(f"there is no loop {loop!r} here; there are {', '.join(names)}")

    def _rows(self, row: type[AnyRow]) -> list[AnyRow]:
        return self._store.shelves[row].all()


class SyncTrial:
    """The same for a plain test: nothing needs to be awaited."""

    def __init__(self, trial: Trial, runner: asyncio.Runner) -> None:
        self._trial, self._runner = trial, runner

    def run_for(self, span: str | float) -> None:
        self._runner.run(self._trial.run_for(span))

    def run_once(self, loop: str = "") -> None:
        self._runner.run(self._trial.run_once(loop))

    def plan(self, loop: str = "") -> Plan:
        return self._runner.run(self._trial.plan(loop))

    def approve(self, loop: str = "", reason: str = "in a trial") -> None:
        self._runner.run(self._trial.approve(loop, reason))

    def status(self, loop: str = "") -> Status:
        return self._trial.status(loop)

    @property
    def now(self) -> float:
        return self._trial.now

    @property
    def passes(self) -> tuple[Pass, ...]:
        return self._trial.passes

    @property
    def acts(self) -> tuple[Act, ...]:
        return self._trial.acts

    @property
    def holds(self) -> tuple[HoldRow, ...]:
        return self._trial.holds

    @property
    def plans(self) -> tuple[PlanRow, ...]:
        return self._trial.plans


class Opening:
    """What `trial(…)` returns: enter it with `with` or with `async with`."""

    def __init__(self, loops: tuple[Keyed, ...], seed: int) -> None:
        self._loops, self._seed = loops, seed
        self._stack = AsyncExitStack()
        self._runner: asyncio.Runner | None = None

    async def __aenter__(self) -> Trial:
        runtime, store = VirtualRuntime(self._seed), MemoryStore()
        station = await self._stack.enter_async_context(in_memory(self._loops, runtime, store))
        return Trial(station, runtime, store)

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def __enter__(self) -> SyncTrial:
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("an event loop runs here already, so write: async with trial(…)")
        self._runner = asyncio.Runner()
        try:
            return SyncTrial(self._runner.run(self.__aenter__()), self._runner)
        except BaseException:
            self._runner.close()
            raise

    def __exit__(self, *_: object) -> None:
        if self._runner is not None:
            self._runner.run(self.__aexit__())
            self._runner.close()


def trial(*loops: Keyed, seed: int = 0) -> Opening:
    """These loops under a virtual clock, enforcing. The seed decides the jitter of retries."""
    return Opening(loops, seed)
