"""A seeded life of a few shelves: intent, world, faults, people and time do what they like between passes."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec.structs import replace

from engine.plant import ACME, ANN, Plant
from setpoint.engine import approval as approvals
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.limits import Limits
from setpoint.engine.plan import UNKNOWN
from setpoint.engine.release import Decision, protect, release, unprotect
from setpoint.engine.rows import Mode, PlanState, Switch

ITEMS = [f"{n:02d}" for n in range(14)]
LONG = "the provider said much about this: " + "x" * 900
ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: Transient("no answer", landed=True),
    lambda: Transient("refused"),
    lambda: Transient(LONG, retry_after=3.0),
    lambda: Rejected("too long"),
    lambda: Rejected(LONG),
    lambda: Rejected(""),
    lambda: Conflict("somebody was there first"),
    lambda: Missing("no such account"),
    lambda: Denied("bad token"),
)


class Fuzz:
    """One run. `step` does something, `look` makes one pass; a test asks what it likes in between."""

    def __init__(self, seed: int, plant: Plant) -> None:
        self.chance, self.plant = random.Random(seed), plant  # noqa: S311 - seeds make it repeatable
        self.refs: list[Ref] = []
        self.number = 0

    async def start(self) -> "Fuzz":
        await self.plant.declare("account", "cloud", scope=ACME)
        for name in ("one", "two", "three"):
            row = await self.plant.declare("shelf", name, books=self._books(), account="cloud")
            self.plant.loop.places[row.ref] = dict(row.spec["books"])
            self.refs.append(row.ref)
        return self

    async def step(self) -> Ref:
        """Something happens, and somebody looks at one shelf; returns which."""
        for _ in range(self.chance.choice([0, 0, 1, 1, 2, 5])):
            await self.chance.choice(self._happenings())()
        ref = self.chance.choice(self.refs)
        if await self.plant.store.get(Declared, ref) is None:
            await self._redeclare(ref)
            ref = self.refs[-1]
        self.plant.runtime.luck = self.chance.random()
        self.number += 1
        await self._run(ref)
        self.plant.loop.blind = None
        self.plant.runtime.pass_by(self.chance.choice([0.0, 1.0, 5.0, 31.0, 60.0, 60.0, 700.0, 4_000.0]))
        return ref

    async def _run(self, ref: Ref) -> None:
        try:
            await self.plant.run(ref)
        except Conflict:
            return  # As the scheduler takes it: the next pass decides anew.

    def _happenings(self) -> list[Callable[[], Awaitable[None]]]:
        people = [self._approve, self._reject, self._switch, self._protect, self._let_go]
        return [
            self._edit,
            self._edit,
            self._drift,
            self._drift,
            self._drift,
            self._fault,
            self._lie,
            *people,
            self._new,
        ]

    def _books(self) -> dict[str, Any]:
        chosen = self.chance.sample(ITEMS, self.chance.choice([0, 1, 3, 8, 12, 14]))
        return {item: self._value() for item in chosen}

    def _value(self) -> Any:
        return self.chance.choice([1, "text", {"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 2}, [1, 2], 7])

    async def _edit(self) -> None:
        ref = self.chance.choice(self.refs)
        row = await self.plant.store.get(Declared, ref)
        if row is None:
            return
        if self.chance.random() < 0.03:
            await self.plant.declarer.delete(ref, ANN)
            return
        books = dict(row.spec["books"])
        for item in self.chance.sample(ITEMS, self.chance.choice([1, 1, 2, 6])):
            if self.chance.random() < 0.5:
                books.pop(item, None)
            else:
                books[item] = self._value()
        await self.plant.declare("shelf", row.name, books=books, account="cloud")

    async def _redeclare(self, gone: Ref) -> None:
        self.refs.remove(gone)
        self.number += 1
        row = await self.plant.declare("shelf", f"again-{self.number}", books=self._books(), account="cloud")
        self.plant.loop.places[row.ref] = {}
        self.refs.append(row.ref)

    async def _drift(self) -> None:
        place = self.plant.loop.places[self.chance.choice(self.refs)]
        for item in self.chance.sample(ITEMS, self.chance.choice([1, 1, 2, 9])):
            if self.chance.random() < 0.5:
                place.pop(item, None)
            else:
                place[item] = self._value()

    async def _fault(self) -> None:
        error = self.chance.choice(ERRORS)
        if self.chance.random() < 0.3:
            self.plant.loop.blind = error()
        else:
            item = self.chance.choice(ITEMS)
            self.plant.loop.answers[item] = [error() for _ in range(self.chance.choice([1, 3, 15]))]

    async def _lie(self) -> None:
        lies = [UNKNOWN, "a lie", Transient("a look failed")]
        chosen = self.chance.sample(ITEMS, self.chance.choice([0, 0, 1, 3]))
        self.plant.loop.looks = {item: self.chance.choice(lies) for item in chosen}

    async def _approve(self) -> None:
        now = self.plant.runtime.now()
        for plan in [plan for plan in self.plant.plans() if plan.state is PlanState.HELD]:
            identity = self.plant.runtime.new_id()
            times = (now, now + self.chance.choice([5.0, 3600.0]))
            agreed = approvals.granted(plan, identity=identity, actor="bob", reason="ok", times=times)
            await self.plant.store.commit(approvals.approve(plan, agreed))

    async def _reject(self) -> None:
        for plan in [plan for plan in self.plant.plans() if plan.state is PlanState.HELD][:1]:
            refusal = approvals.reject(
                plan, identity=self.plant.runtime.new_id(), actor="bob", reason="not today", now=0.0
            )
            await self.plant.store.commit(refusal)

    async def _switch(self) -> None:
        key = self.chance.choice(["all", "kind:shelf", f"scope:{ACME}", f"domain:{self.refs[0]}"])
        known = await self.plant.store.get(Switch, key)
        mode = self.chance.choice([Mode.RUN, Mode.RUN, Mode.RUN, Mode.NO_DELETES, Mode.OBSERVE, Mode.STOP])
        await self.plant.switch(mode, key, version=known.version + 1 if known else 1)

    async def _protect(self) -> None:
        verb = self.chance.choice([protect, unprotect, release])
        row = await self.plant.store.get(Declared, self.chance.choice(self.refs))
        if row is not None:
            now, identity = self.plant.runtime.now(), self.plant.runtime.new_id()
            await self.plant.store.commit(
                verb(Decision(row, self.chance.choice(ITEMS), "bob", "because", now, identity))
            )

    async def _let_go(self) -> None:
        """Everything is well again for a while."""
        self.plant.loop.answers, self.plant.loop.looks = {}, {}
        for key in ("all", "kind:shelf", f"scope:{ACME}"):
            known = await self.plant.store.get(Switch, key)
            if known is not None:
                await self.plant.put(replace(known, mode=Mode.RUN, version=known.version + 1))

    async def _new(self) -> None:
        """Another process, sometimes with other code or other limits."""
        code, limits = self.plant.code, self.plant.limits
        self.plant = Plant(beside=self.plant)
        self.plant.code = self.chance.choice([code, code, f"code-{self.chance.randrange(9)}"])
        other = Limits(deletes_ceiling=self.chance.choice([1, 10]), slow_failures=self.chance.choice([2, 8]))
        self.plant.limits = self.chance.choice([limits, limits, other])
