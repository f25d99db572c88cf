"""Where a kind allows it, what is built goes side by side; what is destroyed never does."""

from typing import Any

import pytest

from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Rejected, Transient
from setpoint.engine.rows import ActState, Mode

from .fake_runtime import FakeRuntime
from .plant import Plant


class CountingRuntime(FakeRuntime):
    """Remembers how many were side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    async def each(self, works: Any) -> Any:
        self.batches.append(len(works))
        return await super().each(works)


@pytest.fixture
async def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    monkeypatch.setattr("engine.plant.FakeRuntime", CountingRuntime)
    return await Plant().start()


async def stack(plant: Plant, wanted: str, found: str = "") -> Ref:
    plant.loop.found = dict.fromkeys(found, 1)
    return (await plant.declare("stack", "pile", books=dict.fromkeys(wanted, 1))).ref


async def test_a_wave_goes_in_batches_and_a_delete_alone(plant: Plant) -> None:
    ref = await plant.proven(await stack(plant, "abcdefghijklm", found="yz"))
    await plant.calm(ref)
    assert sorted(plant.loop.found) == list("abcdefghijklm")
    assert plant.runtime.batches == [1, 2, 4, 4, 2, 1, 1]  # type: ignore[attr-defined]


async def test_a_failure_lets_its_neighbours_end_and_ends_the_pass(plant: Plant) -> None:
    ref = await stack(plant, "abcdefg", found="z")
    for _ in range(2):
        await plant.run(ref)
    plant.loop.answers = {"d": [Rejected("too long")], "e": [Transient("no answer", landed=True)]}
    await plant.run(ref)
    states = {act.item: act.state for act in plant.acts()}
    assert (states["d"], states["e"], states["f"], states["g"]) == (
        ActState.FAILED,
        ActState.UNKNOWN,
        ActState.DONE,
        ActState.DONE,
    )
    assert ((await plant.status(ref)).state, "z" in plant.loop.found) == (State.FAILED, True)


async def test_a_switch_flipped_in_a_batch_stops_those_that_had_not_begun(plant: Plant) -> None:
    ref = await stack(plant, "abc")
    await plant.run(ref)
    plant.loop.while_acting = lambda: plant.switch(Mode.STOP)
    await plant.run(ref)
    assert [act.item for act in plant.loop.acts] == ["a", "b"]
    assert (await plant.status(ref)).reason == "stop by ann (storm); waiting: 2 to create"


async def test_a_bug_in_one_act_is_not_hidden_by_the_others(plant: Plant) -> None:
    ref = await stack(plant, "abc")
    await plant.run(ref)
    plant.loop.answers = {"b": [KeyError("a bug")]}
    with pytest.raises(KeyError, match="a bug"):
        await plant.run(ref)
    assert [act.state for act in plant.acts()] == [ActState.DONE, ActState.STARTED, ActState.DONE]
