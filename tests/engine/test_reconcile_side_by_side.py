"""Where a kind allows it, what is built goes side by side; what is destroyed never does."""

import asyncio
from string import ascii_lowercase
from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Denied, Rejected, Transient
from setpoint.engine.rows import ActState, Mode
from waiting import until

from .fake_runtime import FakeRuntime
from .plant import Plant


class AbreastRuntime(FakeRuntime):
    """Really side by side, and remembers how many were."""

    def __init__(self) -> None:
        super().__init__()
        self.abreast: list[int] = []

    async def each(self, works: Any) -> Any:
        self.abreast.append(len(works))
        return await asyncio.gather(*works, return_exceptions=True)


def ended(plant: Plant) -> set[str]:
    return {act.item for act in plant.acts() if act.state is ActState.DONE}


AT_ONCE = 4  # As the stacks of the library.


@pytest.fixture
async def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    monkeypatch.setattr("engine.plant.FakeRuntime", AbreastRuntime)
    plant = await Plant().start()
    plant.loop.while_acting = lambda: asyncio.sleep(0)
    return plant


async def stack(plant: Plant, wanted: str, found: str = "") -> Ref:
    plant.loop.found = dict.fromkeys(found, 1)
    return (await plant.declare("stack", "pile", books=dict.fromkeys(wanted, 1))).ref


async def test_a_wave_goes_side_by_side_and_a_delete_alone(plant: Plant) -> None:
    ref = await plant.proven(await stack(plant, "abcdefghijklm", found="yz"))
    await plant.calm(ref)
    assert sorted(plant.loop.found) == list("abcdefghijklm")
    assert plant.runtime.abreast == [1, 4, 4, 1, 1]  # type: ignore[attr-defined]


async def test_nobody_waits_for_the_slowest_and_nothing_goes_before_what_it_needs(plant: Plant) -> None:
    ref = await stack(plant, "abcdefgh", found="xyz")
    plant.loop.say = {"needs": {"g": ("b",)}}
    await plant.put(replace(await plant.ledger(ref), created=8))
    slow = asyncio.Event()

    async def acting() -> None:
        await (slow.wait() if plant.loop.acts[-1].item == "a" else asyncio.sleep(0))

    plant.loop.while_acting = acting
    turn = asyncio.create_task(plant.run(ref))
    await until(lambda: ended(plant) >= set("bcdef"))
    before = ended(plant)
    slow.set()
    await turn
    assert (before, len(plant.acts())) == (set("bcdef"), 8)


async def test_failures_of_single_keys_cost_their_neighbours_nothing(plant: Plant) -> None:
    ref = await stack(plant, "abcdefg", found="z")
    await plant.put(replace(await plant.ledger(ref), created=8))
    plant.loop.answers = {"b": [Rejected("too long")], "e": [Transient("no answer", landed=True)]}
    await plant.run(ref)
    states = {act.item: act.state for act in plant.acts()}
    assert states == dict.fromkeys("acdfg", ActState.DONE) | {"b": ActState.FAILED, "e": ActState.UNKNOWN}
    assert ((await plant.status(ref)).state, "z" in plant.loop.found) == (State.DEGRADED, True)


async def test_a_switch_flipped_among_many_stops_those_that_had_not_begun(plant: Plant) -> None:
    ref = await stack(plant, "abc")
    await plant.run(ref)
    plant.loop.while_acting = lambda: plant.switch(Mode.STOP)
    await plant.run(ref)
    assert [act.item for act in plant.loop.acts] == ["a", "b"]
    await plant.run(ref)
    assert (await plant.status(ref)).reason == "stop by ann (storm): nothing is changed (1 to create)"


async def test_where_the_account_fails_nothing_more_begins(plant: Plant) -> None:
    ref = await stack(plant, ascii_lowercase[:20], found="z")
    await plant.put(replace(await plant.ledger(ref), created=20))
    plant.loop.answers = {item: [Denied("401")] * 9 for item in ascii_lowercase}
    await plant.run(ref)
    begun = [act.item for act in plant.acts()]
    assert 11 <= len(begun) < 11 + AT_ONCE  # More than half of the window of the brake.


async def test_a_bug_in_one_act_costs_the_others_nothing(plant: Plant) -> None:
    ref = await stack(plant, "abc")
    await plant.run(ref)
    plant.loop.answers = {"b": [KeyError("a bug")]}
    await plant.run(ref)
    assert [act.state for act in plant.acts()] == [ActState.DONE, ActState.UNKNOWN, ActState.DONE]
