"""A day of passes in a moment: at the times they are due, with every guard on, the same every time."""

from typing import Any

import pytest

from setpoint.engine.plan import Verb
from setpoint.engine.rows import ActState
from setpoint.loop import Missing, Rejected, Transient, trial
from setpoint.loop.trial import START

from .things import Shelf, done

DAY_OF_PASSES = 2880


class Other(Shelf):
    every = "1h"


def test_a_day_of_a_loop_that_looks_every_30_seconds_has_all_its_passes() -> None:
    with trial(Shelf({"a": 1, "b": 2, "c": 3})) as t:
        t.run_for("24h")
        assert len(t.passes) == DAY_OF_PASSES
        assert t.now == START + 86400
        assert {each.state for each in t.passes} == {"READY"}
        assert t.acts == ()


async def test_it_can_be_awaited() -> None:
    loop = Shelf({"a": 1}, {})
    async with trial(loop) as t:
        await t.run_for("5m")
        assert t.status().reason == "1 in step"
        assert done(t.acts) == [("create", "a")]


def test_passes_are_run_when_they_are_due() -> None:
    with trial(Shelf({"a": 1}), Other({"b": 1})) as t:
        t.run_for("61m")
        assert [each.at - START for each in t.passes if each.loop == "Shelf"] == [
            30.0 * n for n in range(122)
        ]
        assert [each.at - START for each in t.passes if each.loop == "Other"] == [0.0, 3600.0]


class Failing(Shelf):
    broken = True

    async def observe(self) -> Any:
        if self.broken:
            raise Transient("503")
        return dict(self.found)


def test_what_fails_is_tried_again_with_growing_patience() -> None:
    with trial(Failing({"a": 1}, {})) as t:
        t.run_for("10m")
        waits = [after.at - before.at for before, after in zip(t.passes, t.passes[1:], strict=False)]
        assert 10 < len(waits) < 200
        assert max(waits[:3]) < 5
        assert max(waits) > 20
        assert t.acts == ()
        assert t.status().reason == "503"


def test_it_enforces_and_remembers_what_was_withheld() -> None:
    loop = Shelf({"a": 1, "b": 2}, {"a": 1, "b": 2, "old": 3})
    with trial(loop) as t:
        t.run_once()
        assert [hold.guard for hold in t.holds] == ["probation"]
        assert loop.calls == []
        t.run_for("1m")
        assert [(act.verb, act.item, act.state) for act in t.acts] == [(Verb.DELETE, "old", ActState.DONE)]


def test_a_held_plan_can_be_approved() -> None:
    loop = Shelf({"a": 1, "b": 2})
    with trial(loop) as t:
        t.run_for("1m")
        with pytest.raises(Missing, match="no plan of Shelf waits for a person"):
            t.approve()
        loop.wanted = {}
        t.run_for("2m")
        assert [plan.state.value for plan in t.plans] == ["held"]
        t.approve(reason="the shelf goes")
        t.run_for("1m")
        assert loop.found == {}


def test_with_several_loops_one_must_be_named() -> None:
    with trial(Shelf({}), Other({})) as t:
        with pytest.raises(Missing, match="there is no loop '' here; there are Shelf, Other"):
            t.status()
        with pytest.raises(Missing, match="there is no loop 'Shlef' here"):
            t.run_once("Shlef")
        t.run_once("Other")
        assert t.status("Other").state == "READY"


def test_the_same_seed_gives_the_same_day() -> None:
    def day(seed: int) -> list[float]:
        with trial(Failing({"a": 1}, {}), seed=seed) as t:
            t.run_for("10m")
            return [each.at for each in t.passes]

    assert day(1) == day(1)
    assert day(1) != day(2)


class Restless(Shelf):
    """Never the same twice, so that there is always something to do at once."""

    def __init__(self) -> None:
        super().__init__({})
        self.count = 0

    async def desired(self) -> Any:
        self.count += 1
        return {f"k{self.count}": 1}


def test_a_loop_that_never_comes_to_rest_does_not_hang_the_test() -> None:
    with trial(Restless()) as t, pytest.raises(AssertionError, match="Restless never comes to rest"):
        t.run_for("1d")


async def test_inside_an_event_loop_it_must_be_awaited() -> None:
    with pytest.raises(RuntimeError, match="async with trial"), trial(Shelf({})):
        raise AssertionError("it was entered")


@pytest.mark.parametrize("span", ["soon", "", None])
def test_a_span_that_is_none_is_said_to_be_none(span: Any) -> None:
    with trial(Shelf({})) as t, pytest.raises(ValueError, match="is not a length of time"):
        t.run_for(span)


def test_a_loop_with_a_mistake_cannot_be_tried() -> None:
    crooked = type("Crooked", (Shelf,), {"every": "x"})({})
    with pytest.raises(Rejected, match="loop Crooked has a mistake"), trial(crooked):
        raise AssertionError("it was entered")
