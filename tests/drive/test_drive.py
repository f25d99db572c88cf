"""Turns: whoever is due gets one, each key at most once at a time, and nothing heard is lost."""

import asyncio

import pytest

from setpoint.drive import drive as driving
from setpoint.drive import ear as hearing
from setpoint.drive.ear import REREAD_SECONDS
from setpoint.engine.agenda import NEVER, Due, resync_in
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.rows import Lane, Wake
from setpoint.engine.store import Query
from setpoint.storage.memory import MemoryStore

from .yard import A, B, C, Yard, driven


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


@pytest.mark.parametrize("answer", [7.0, None], ids=["when it asked", "its interval"])
async def test_a_turn_comes_again_when_it_is_due(answer: float | None) -> None:
    yard = Yard()
    yard.work.answers = {A: [answer]}
    wait = answer or resync_in(A, 60.0, yard.runtime.now(), yard.runtime.chance())
    await yard.wake(A)
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [A])
        await yard.later(wait - 1.0)
        assert yard.work.taken == [A]
        await yard.later(2.0)
        assert yard.work.taken == [A, A]


async def test_whose_a_key_is_stays_known_from_turn_to_turn() -> None:
    yard = Yard()
    yard.work.answers = {A: [0.0, 5.0, None]}
    await yard.wake(A, tenant="acme")
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [A, A])
        await yard.later(5.1)
        assert yard.work.taken == [A, A, A]
    assert yard.drive.agenda.take(yard.runtime.now() + 60) == Due(A, Lane.RESYNC, "acme")


async def test_tenants_have_their_turns_one_after_the_other() -> None:
    yard = Yard(at_once=1)
    await yard.wake(*(Ref(f"zone/{number:04d}") for number in range(50)), tenant="big")
    await yard.wake(A, tenant="small")
    async with driven(yard):
        await yard.until(lambda: A in yard.work.taken)
        assert yard.work.taken.index(A) == 1


async def test_only_what_somebody_waits_for_is_urgent() -> None:
    yard = Yard(at_once=1)
    await yard.wake(A, lane=Lane.INTERACTIVE)
    await yard.wake(B, lane=Lane.EVENT)
    yard.work.answers = {A: [0.0]}
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [A, B, A])
        assert yard.work.urgent == [A]


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


async def test_what_goes_wrong_is_told_and_only_what_nobody_expected_as_an_error() -> None:
    yard, bug = Yard(AwayStore()), KeyError("a bug")
    yard.work.answers = {A: [bug], B: [Conflict("intent moved")], C: [Transient("it is away")]}
    await yard.wake(A, B)
    async with driven(yard):
        await yard.rest()
        await yard.wake(C)
        await yard.later(1.0)
        await yard.until(lambda: len(yard.told) == 4)
    assert ("wakes cannot be read", {"why": "the store is away"}) in yard.told
    assert ("turn overtaken", {"ref": B, "why": "intent moved"}) in yard.told
    assert ("turn failed", {"ref": A, "error": bug}) in yard.told
    assert ("turn put off", {"ref": C, "why": "it is away"}) in yard.told


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
        await yard.later(1.0)
        await yard.until(lambda: sorted(yard.work.taken) == [A, B])


async def test_a_store_that_is_away_is_not_asked_all_the_time() -> None:
    store = AwayStore()
    yard, store.away = Yard(store), 1_000_000
    async with driven(yard):
        for _ in range(100):
            await yard.later(0.01)
    assert 1_000_000 - store.away <= 3


async def test_while_the_store_stays_away_we_look_on_now_and_then_and_one_look_at_a_time() -> None:
    store = AwayStore()
    yard, store.away = Yard(store), 1_000_000
    async with driven(yard):
        await yard.rest()
        assert yard.work.looks == 0  # A moment needs none.
        for seconds, looks in ((9.0, 0), (2.0, 1), (9.0, 1), (2.0, 2)):
            await yard.later(seconds)
            assert yard.work.looks == looks
        yard.work.gate.clear()
        for looks in (3, 3):
            await yard.later(11.0)
            assert yard.work.looks == looks
        yard.work.gate.set()
        store.away = 0
        for looks in (3, 3):
            await yard.later(11.0)
            assert yard.work.looks == looks


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
    monkeypatch.setattr(hearing, "REREAD_SECONDS", 0.0)
    yard = Yard()
    async with driven(yard):
        await yard.rest()
        yard.store.shelves[Wake].put("silent", Wake(id="silent", ref=A, reason="nobody was told"))
        await yard.until(lambda: yard.work.taken == [A])


async def test_whoever_is_missing_at_a_roll_call_gets_a_turn() -> None:
    yard = Yard()
    async with driven(yard):
        await yard.rest()
        yard.should_come = [A, B, Ref("zone/d")]
        await yard.later(REREAD_SECONDS)
        assert sorted(yard.work.taken) == [A, B]
        await yard.later(REREAD_SECONDS)
        assert sorted(yard.work.taken) == [A, B, "zone/d"]
        yard.should_come.insert(0, Ref("zone/0"))
        await yard.later(REREAD_SECONDS)
        assert yard.work.taken[3:] == ["zone/0"]
    assert yard.drive.agenda.take(yard.runtime.now() + 60).tenant == "acme"  # type: ignore[union-attr]


async def test_whoever_has_a_place_on_the_agenda_is_not_disturbed_by_a_roll_call() -> None:
    yard = Yard()
    yard.should_come = [A]
    yard.work.answers = {A: [50.0]}
    async with driven(yard):
        await yard.until(lambda: yard.work.taken == [A])
        for _ in range(5):
            await yard.later(REREAD_SECONDS)
        assert yard.work.taken == [A]


async def test_the_roll_is_not_called_at_every_hint() -> None:
    yard = Yard()
    async with driven(yard):
        await yard.rest()
        yard.should_come = [A]
        await yard.later(REREAD_SECONDS / 2)
        assert yard.work.taken == []
