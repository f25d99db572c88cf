"""Turns: whoever is due gets one, each key at most once at a time, and nothing heard is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from engine.fake_runtime import FakeRuntime
from setpoint.drive import drive as driving
from setpoint.drive.drive import Drive, Turns
from setpoint.engine.agenda import NEVER
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.rows import Lane, Wake
from setpoint.engine.store import Change, Put, Query
from setpoint.storage.memory import MemoryStore

A, B, C = Ref("zone/a"), Ref("zone/b"), Ref("zone/c")


class Work:
    """Turns that say what they are told to say, and can be held in the middle."""

    def __init__(self) -> None:
        self.taken: list[Ref] = []
        self.at_once, self.most_at_once, self.under_way = 4, 0, 0
        self.answers: dict[Ref, list[float | Exception | None]] = {}
        self.gate = asyncio.Event()
        self.gate.set()

    async def take(self, ref: Ref) -> float | None:
        self.taken.append(ref)
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            await self.gate.wait()
        finally:
            self.under_way -= 1
        waiting = self.answers.get(ref, [])
        answer = waiting.pop(0) if waiting else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def every(self, ref: Ref) -> float | None:
        return 60.0 if ref != C else None


class Yard:
    """A drive that is running, its store, its clock and its work."""

    def __init__(self, store: MemoryStore | None = None, at_once: int = 4) -> None:
        self.store, self.runtime, self.work = store or MemoryStore(), FakeRuntime(), Work()
        turns = Turns(
            take=self.work.take,
            mine=lambda ref: ref.startswith("zone/"),
            every=self.work.every,
            at_once=at_once,
        )
        self.drive = Drive(self.store, self.runtime, turns)

    async def wake(self, *refs: Ref, lane: Lane = Lane.EVENT) -> None:
        wakes = (Put(Wake(id=self.runtime.new_id(), ref=ref, reason="woken", lane=lane)) for ref in refs)
        await self.store.commit(Change(writes=tuple(wakes)))

    async def until(self, true: Callable[[], bool]) -> None:
        """Lets everybody run until this holds; nothing in these tests needs real time."""
        for _ in range(500):
            if true():
                return
            await asyncio.sleep(0)
        raise AssertionError(f"it never came to that; taken were {self.work.taken}")

    async def rest(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    async def later(self, seconds: float) -> None:
        """Time passes, and something is committed that makes the drive look up."""
        self.runtime.pass_by(seconds)
        await self.store.commit(Change(writes=(Put(Wake(id="x", ref=Ref("task/x"), reason="not ours")),)))
        await self.rest()


@asynccontextmanager
async def driven(yard: Yard) -> AsyncIterator[Yard]:
    running = asyncio.create_task(yard.drive.run())
    try:
        yield yard
    finally:
        yard.work.gate.set()
        yard.drive.stop()
        await running


async def test_a_wake_is_a_turn() -> None:
    async with driven(Yard()) as yard:
        await yard.wake(A)
        await yard.until(lambda: yard.work.taken == [A])


async def test_what_was_woken_before_the_start_is_heard_at_the_start() -> None:
    yard = Yard()
    await yard.wake(A, B)
    async with driven(yard):
        await yard.until(lambda: sorted(yard.work.taken) == [A, B])


async def test_a_wake_for_somebody_else_is_left_to_them() -> None:
    async with driven(Yard()) as yard:
        await yard.wake(Ref("task/t1"))
        await yard.rest()
        assert yard.work.taken == []


async def test_a_wake_that_stays_in_the_store_is_heard_once() -> None:
    async with driven(Yard()) as yard:
        await yard.wake(A)
        await yard.until(lambda: yard.work.taken == [A])
        await yard.later(1)
        assert yard.work.taken == [A]


async def test_the_more_urgent_goes_first() -> None:
    yard = Yard(at_once=1)
    await yard.wake(A, lane=Lane.RESYNC)
    await yard.wake(B, lane=Lane.INTERACTIVE)
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [B, A])


async def test_only_so_many_turns_are_under_way_at_once() -> None:
    yard = Yard(at_once=2)
    yard.work.gate.clear()
    await yard.wake(A, B, C)
    async with driven(yard):
        await yard.until(lambda: yard.work.under_way == 2)
        await yard.rest()
        yard.work.gate.set()
        await yard.until(lambda: len(yard.work.taken) == 3)
        assert yard.work.most_at_once == 2


async def test_a_key_that_is_woken_during_its_turn_gets_another_after_it() -> None:
    yard = Yard()
    yard.work.gate.clear()
    await yard.wake(A)
    async with driven(yard):
        await yard.until(lambda: yard.work.under_way == 1)
        await yard.wake(A)
        await yard.rest()
        assert yard.work.taken == [A]
        yard.work.gate.set()
        await yard.until(lambda: yard.work.taken == [A, A])
        assert yard.work.most_at_once == 1


async def test_a_turn_that_has_more_to_do_comes_again_at_once() -> None:
    yard = Yard()
    yard.work.answers = {A: [0.0, 0.0]}
    await yard.wake(A)
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [A, A, A])


@pytest.mark.parametrize(
    ("ref", "answer", "early", "late"),
    [(A, 7.0, 6.0, 2.0), (A, None, 59.0, 2.0)],
    ids=["when it asked", "its interval"],
)
async def test_a_turn_comes_again_when_it_is_due(
    ref: Ref, answer: float | None, early: float, late: float
) -> None:
    yard = Yard()
    yard.work.answers = {ref: [answer]}
    await yard.wake(ref)
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [ref])
        await yard.later(early)
        assert yard.work.taken == [ref]
        await yard.later(late)
        assert yard.work.taken == [ref, ref]


@pytest.mark.parametrize(("ref", "answer"), [(C, None), (A, NEVER)], ids=["no interval", "never"])
async def test_a_turn_that_is_not_due_again_waits_for_a_wake(ref: Ref, answer: float | None) -> None:
    yard = Yard()
    yard.work.answers = {ref: [answer]}
    await yard.wake(ref)
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [ref])
        await yard.later(1_000)
        assert (yard.work.taken, yard.drive.agenda.next_at()) == ([ref], None)


@pytest.mark.parametrize(
    "error", [Conflict("overtaken"), KeyError("a bug"), Transient("store away")], ids=str
)
async def test_a_turn_that_fails_is_tried_later_and_later_still(error: Exception) -> None:
    yard = Yard()
    yard.work.answers = {A: [error, error]}
    await yard.wake(A, B)
    async with driven(yard):
        await yard.until(lambda: sorted(yard.work.taken) == [A, B])
        await yard.later(0.5)
        assert yard.work.taken.count(A) == 1
        await yard.later(0.2)
        assert yard.work.taken.count(A) == 2
        await yard.later(1.0)
        assert yard.work.taken.count(A) == 2
        await yard.later(0.2)
        assert yard.work.taken.count(A) == 3


async def test_after_a_good_turn_failures_are_forgotten() -> None:
    yard = Yard()
    yard.work.answers = {A: [KeyError("a bug"), 5.0, KeyError("a bug")]}
    await yard.wake(A)
    async with driven(yard):
        for seconds in (0.7, 5.1, 0.7):
            await yard.rest()
            await yard.later(seconds)
        assert len(yard.work.taken) == 4


class AwayStore(MemoryStore):
    """Cannot be read this many times."""

    away = 1

    async def read(self, query: Query, **values: object) -> list:  # type: ignore[type-arg]
        if self.away:
            self.away -= 1
            raise Transient("the store is away")
        return await super().read(query, **values)  # type: ignore[arg-type]


async def test_a_store_that_is_away_for_a_moment_loses_no_wake() -> None:
    yard = Yard(AwayStore())
    await yard.wake(A)
    async with driven(yard):
        await yard.rest()
        await yard.wake(B)
        await yard.until(lambda: sorted(yard.work.taken) == [A, B])


async def test_after_stop_no_turn_begins_and_those_under_way_end() -> None:
    yard = Yard(at_once=1)
    yard.work.gate.clear()
    await yard.wake(A, B)
    async with driven(yard):
        await yard.until(lambda: yard.work.under_way == 1)
        yard.drive.stop()
        yard.work.gate.set()
    assert (yard.work.taken, yard.work.under_way) == ([A], 0)


async def test_a_turn_that_does_not_end_in_time_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "STOP_SECONDS", 0.0)
    yard = Yard()
    yard.work.gate.clear()
    await yard.wake(A)
    running = asyncio.create_task(yard.drive.run())
    await yard.until(lambda: yard.work.under_way == 1)
    yard.drive.stop()
    await running
    await yard.until(lambda: yard.work.under_way == 0)


async def test_without_a_hint_wakes_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "REREAD_SECONDS", 0.0)
    yard = Yard()
    async with driven(yard):
        await yard.rest()
        yard.store.shelves[Wake].put("silent", Wake(id="silent", ref=A, reason="nobody was told"))
        await yard.until(lambda: yard.work.taken == [A])
