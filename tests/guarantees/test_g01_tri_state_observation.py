"""1. Every item is a value, ABSENT or UNKNOWN; a listing is complete or it raises."""

import random
from typing import Any

import pytest

from engine.plant import Plant
from setpoint.engine import plan as planning
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied, Transient
from setpoint.engine.plan import ABSENT, UNKNOWN, Verb, diff

from .depot import PAGES, Depot, Thing

SEEDS = 1_000


async def stocked(plant: Plant) -> tuple[Depot, Ref]:
    """Fifty things that are there and declared, which nobody has looked at yet."""
    depot = Depot()
    values = {f"{n:02d}": n for n in range(50)}
    depot.stock(**values)
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    return depot, (await plant.declare("shelf", "novels", books=values)).ref


def faulty(depot: Depot, chance: random.Random) -> None:
    """One page of five cannot be read, or does not come in time; or some items are not known."""
    bad = chance.randrange(PAGES)
    error = chance.choice(
        [Transient("page lost"), Transient("too late", landed=True), Denied("not now"), None]
    )
    depot.unknown = set(chance.sample([f"{n:02d}" for n in range(50)], 7)) if error is None else set()

    def page(number: int) -> list[Thing]:
        if error is not None and number == bad:
            raise error
        return [thing for thing in depot.page_of(number) if thing.item not in depot.unknown]

    depot.page = page


async def test_an_adapter_that_fails_raises_or_times_out_causes_no_create_and_no_delete(plant: Plant) -> None:
    depot, ref = await stocked(plant)
    for seed in range(SEEDS):
        faulty(depot, random.Random(seed))  # noqa: S311 - seeds make it repeatable
        await plant.run(ref)
        plant.runtime.pass_by(1.0)
    assert (depot.calls, len(depot.things)) == ([], 50)


async def test_removed_a_page_that_fails_is_taken_for_an_empty_one_and_things_are_made_twice(
    plant: Plant,
) -> None:
    depot, ref = await stocked(plant)
    depot.page = lambda number: [] if number == 2 else depot.page_of(number)
    await plant.calm(ref)
    assert len(depot.things) > 50


async def test_removed_what_is_not_known_is_taken_for_absent_and_things_are_made_twice(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    depot, ref = await stocked(plant)
    monkeypatch.setattr("guarantees.depot.UNKNOWN", ABSENT)
    depot.unknown = {"07"}
    depot.page = lambda number: [thing for thing in depot.page_of(number) if thing.item != "07"]
    await plant.calm(ref)
    assert len(depot.named("07")) == 2


@pytest.mark.parametrize(
    ("seen", "verbs"), [(UNKNOWN, []), (ABSENT, [Verb.CREATE]), (2, [Verb.UPDATE]), (1, [])]
)
def test_what_is_not_known_yields_nothing(seen: Any, verbs: list[Verb]) -> None:
    assert [action.verb for action in diff({"a": 1}, {"a": seen})] == verbs
    assert planning.diff({}, {"a": UNKNOWN}) == ()
