"""Deletes across domains have one budget: taken whole before the first act, given back when unused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.fleet import Fleet, Purse
from setpoint.engine.ledger import Budget, Taken
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.rows import Verb
from setpoint.engine.store import Change
from setpoint.storage.memory import MemoryStore

from .people import approve, shelves
from .plant import ACME, ANN, Plant

PURSE = Purse("tenant:acme", "organization acme", 10)


def taken(count: int, at: float = 100.0, domain: str = "shelf/1") -> Taken:
    return Taken(domain=Ref(domain), count=count, at=at)


async def left(plant: Plant, purse: Purse = PURSE, now: float = 100.0) -> int:
    [room] = await Fleet(plant.store, plant.kinds).rooms((purse,), now)
    return room.left


async def test_what_is_taken_is_gone_for_an_hour(kept: Plant) -> None:
    fleet = Fleet(kept.store, kept.kinds)
    assert await fleet.take((PURSE,), taken(4))
    assert [await left(kept, now=at) for at in (100.0, 100.0 + HOUR - 1, 100.0 + HOUR)] == [6, 6, 10]


@pytest.mark.parametrize(("count", "given"), [(9, True), (10, True), (11, False)])
async def test_all_of_it_or_nothing(kept: Plant, count: int, given: bool) -> None:
    assert await Fleet(kept.store, kept.kinds).take((PURSE,), taken(count)) == given
    assert await left(kept) == (10 - count if given else 10)


async def test_a_purse_that_is_short_keeps_the_others_closed(kept: Plant) -> None:
    small = Purse("account:a", "account a", 3)
    assert not await Fleet(kept.store, kept.kinds).take((PURSE, small), taken(4))
    assert (await left(kept), await left(kept, small)) == (10, 3)


async def test_what_was_not_used_is_given_back_and_only_that(kept: Plant) -> None:
    fleet = Fleet(kept.store, kept.kinds)
    await fleet.take((PURSE,), taken(2, domain="shelf/2"))
    await fleet.take((PURSE,), taken(5))
    await fleet.give_back((PURSE,), taken(5), used=1)
    assert await left(kept) == 7


async def test_what_is_older_than_an_hour_is_not_kept(kept: Plant) -> None:
    fleet = Fleet(kept.store, kept.kinds)
    for at in (100.0, 200.0, 200.0 + HOUR):
        await fleet.take((PURSE,), taken(1, at=at))
    [budget] = kept.rows(Budget)
    assert [each.at for each in budget.taken] == [200.0 + HOUR]


class Racing(MemoryStore):
    """Lets somebody else take part of a budget between our reading and our taking."""

    thief: Any = None

    async def commit(self, change: Change) -> None:
        thief, self.thief = self.thief, None
        if thief is not None:
            await thief()
        await super().commit(change)


@pytest.mark.parametrize(("theirs", "ours", "given"), [(5, 5, True), (6, 5, False), (10, 1, False)])
async def test_two_who_take_at_once_never_have_more_than_there_is(
    theirs: int, ours: int, given: bool
) -> None:
    store = Racing()
    plant = await Plant(store).start()
    fleet = Fleet(store, plant.kinds)
    store.thief = lambda: fleet.take((PURSE,), taken(theirs, domain="shelf/2"))
    assert await fleet.take((PURSE,), taken(ours)) == given
    assert await left(plant) == 10 - theirs - (ours if given else 0)


async def test_who_is_always_overtaken_gives_up_and_has_nothing() -> None:
    class Hopeless(MemoryStore):
        async def commit(self, change: Change) -> None:
            raise Conflict("somebody was faster")

    assert not await Fleet(Hopeless(), {}).take((PURSE,), taken(1))


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 900), st.booleans()), max_size=20))
async def test_whoever_asks_in_whatever_order_no_hour_has_more_than_the_limit(
    asked: list[tuple[int, int, bool]],
) -> None:
    fleet, now, spent = Fleet(MemoryStore(), {}), 1_000.0, []
    for count, wait, unused in asked:
        now += wait
        if await fleet.take((PURSE,), taken(count, at=now)):
            if unused:
                await fleet.give_back((PURSE,), taken(count, at=now), used=0)
            else:
                spent.append((now, count))
        assert sum(count for at, count in spent if at > now - HOUR) <= 10


async def test_two_deletes_in_each_of_many_domains_stop_at_the_fleet_limit(kept: Plant) -> None:
    kept.limits = Limits(fleet_tenant=5)
    refs = await shelves(kept, 4)
    for ref in refs:
        await kept.calm(ref)
    assert len(kept.acts()) == 4
    status = await kept.status(refs[2])
    assert status.state is State.HELD
    assert status.reason == "2 deletes; organization acme has 1 of 5 left this hour (2 to delete)"
    kept.runtime.pass_by(HOUR)
    for ref in refs[2:]:
        await kept.proven(ref)
        await kept.calm(ref)
    assert len(kept.acts()) == 8


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(fleet_tenant=1), "organization acme has 1 of 1"),
        (Limits(fleet_account=1), "account cloud has 1 of 1"),
        (Limits(fleet_installation=1), "the installation has 1 of 1"),
    ],
)
async def test_tenant_account_and_installation_each_have_a_budget(
    plant: Plant, limits: Limits, said: str
) -> None:
    await plant.declare("account", "cloud", scope=ACME)
    plant.limits = limits
    [ref] = await shelves(plant, 1, account="cloud")
    await plant.run(ref)
    assert plant.acts() == []
    assert said in (await plant.status(ref)).reason


async def test_what_was_begun_is_charged_and_what_was_not_is_given_back(plant: Plant) -> None:
    plant.limits = Limits(fleet_tenant=5)
    [ref] = await shelves(plant, 1, withdrawn=3)
    plant.loop.answers = {"00": [Transient("429", retry_after=1.0)]}
    await plant.run(ref)
    assert [act.item for act in plant.acts()] == ["00"]
    assert [each.count for budget in plant.rows(Budget) for each in budget.taken] == [1, 1]


async def test_deletes_that_a_person_approved_are_not_charged(plant: Plant) -> None:
    [ref] = await shelves(plant, 1, withdrawn=6)
    await plant.run(ref)
    await approve(plant, plant.plans()[0])
    await plant.calm(ref)
    assert (len(plant.acts()), plant.rows(Budget)) == (6, [])


async def test_deletes_that_a_person_asked_for_by_name_are_charged(plant: Plant) -> None:
    [ref] = await shelves(plant, 1, withdrawn=0)
    await plant.declarer.delete(ref, ANN)
    await plant.run(ref)
    assert len(plant.acts()) == 30
    assert {budget.key: budget.taken[0].count for budget in plant.rows(Budget)} == {
        "installation": 30,
        "tenant:acme": 30,
    }


async def test_what_is_built_costs_nothing(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abc", 1), found={})
    await plant.calm(ref)
    assert ([act.verb for act in plant.acts()], plant.rows(Budget)) == ([Verb.CREATE] * 3, [])


async def test_who_was_overtaken_at_the_purse_acts_on_nothing_and_looks_again_at_once() -> None:
    store = Racing()
    plant = await Plant(store).start()
    plant.limits = Limits(fleet_installation=3)
    [ref] = await shelves(plant, 1)
    fleet = Fleet(store, plant.kinds)
    everything = Purse("installation", "the installation", 3)

    async def steal() -> None:
        await fleet.take((everything,), taken(2, at=plant.runtime.now(), domain="shelf/9"))

    store.thief = steal
    assert await plant.run(ref) == 0.1
    assert plant.acts() == []
    await plant.run(ref)
    assert "the installation has 1 of 3 left this hour" in (await plant.status(ref)).reason
