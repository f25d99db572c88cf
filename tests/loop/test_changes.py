"""A loop that can say what changed is observed in full now and then only, and still nothing is missed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.loop import ABSENT, UNKNOWN, trial

from .things import Attic, Shelf, done

FEW = {"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 3}, "d": {"n": 4}}


class Feed(Shelf):
    """Writes down what changes; `told` is what the next changes() says."""

    hears_itself = True

    def __init__(self, wanted: dict[str, Any], found: dict[str, Any] | None = None) -> None:
        super().__init__(wanted, found)
        self.told: dict[str, Any] | None = {}
        self.observed = 0

    def set(self, key: str, value: Any) -> None:
        """Somebody else changes something."""
        if value is ABSENT:
            self.found.pop(key, None)
        else:
            self.found[key] = value
        if self.told is not None:
            self.told[key] = value

    async def observe(self) -> Any:
        self.observed += 1
        return dict(self.found)

    async def changes(self) -> Any:
        told, self.told = self.told, {}
        return told

    async def put(self, key: str, value: Any) -> None:
        await super().put(key, value)
        if self.hears_itself and self.told is not None:
            self.told[key] = value

    async def delete(self, key: str) -> None:
        await super().delete(key)
        if self.hears_itself and self.told is not None:
            self.told[key] = ABSENT


async def test_between_two_whole_looks_only_changes_are_asked_for() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_for("30m")
        assert len(t.passes) == 60
        assert loop.observed == 6
        assert t.status().reason == "4 in step"


async def test_what_changes_says_is_put_back_without_observing_everything() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.set("b", {"n": 7})
        loop.set("old", {"n": 9})
        loop.set("c", ABSENT)
        await t.run_for("1m")
        assert loop.found == FEW
        assert sorted(done(t.acts)) == [("create", "c"), ("delete", "old"), ("update", "b")]


async def test_a_change_of_intent_is_seen_at_once() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.wanted = {**FEW, "b": {"n": 5}, "e": {"n": 6}}
        await t.run_for("31s")
        assert loop.found == loop.wanted
        loop.wanted = FEW
        await t.run_for("1m")
        assert loop.found == FEW
        assert done(t.acts) == [("create", "e"), ("update", "b"), ("update", "b"), ("delete", "e")]


async def test_a_value_that_was_changed_in_place_is_found_at_the_next_whole_look() -> None:
    loop = Feed({"a": {"n": 1}})
    loop.found = {"a": {"n": 1}}
    async with trial(loop) as t:
        await t.run_once()
        loop.wanted["a"]["n"] = 2
        await t.run_for("6m")
        assert loop.found == {"a": {"n": 2}}


async def test_none_means_that_everything_is_observed() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.told = None
        loop.found["b"] = {"n": 7}
        await t.run_for("1m")
        assert loop.found == FEW
        assert loop.observed >= 2


async def test_what_changes_forgot_to_say_is_found_at_the_next_whole_look() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.found["b"] = {"n": 7}
        await t.run_for("3m")
        assert loop.found["b"] == {"n": 7}
        await t.run_for("3m")
        assert loop.found == FEW


async def test_after_anything_went_wrong_everything_is_observed() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.set("b", object())
        await t.run_once()
        assert "Feed.changes() has a value of type object at 'b'" in t.status().reason
        loop.found["b"] = {"n": 7}
        await t.run_for("1m")
        assert loop.found == FEW


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (7, "Feed.changes() returned 7 (int); expected is a mapping"),
        ([("b", 1), ("b", 2)], "Feed.changes() gave the key 'b' twice"),
        ({1: 1}, "Feed.changes(): the key 1 is an int"),
    ],
)
async def test_changes_that_say_nothing_are_an_error_and_then_everything_is_observed(
    answer: Any, said: str
) -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.found["b"], loop.told = {"n": 7}, answer
        await t.run_once()
        assert said in t.status().reason
        assert loop.calls == []
        await t.run_for("1m")
        assert loop.found == FEW


class Deaf(Feed):
    """Its feed does not tell of its own changes."""

    hears_itself = False


class DeafWithEyes(Deaf):
    async def look(self, key: str) -> Any:
        return self.found.get(key, ABSENT)


@pytest.mark.parametrize(("sort", "observed"), [(Deaf, 3), (DeafWithEyes, 1)])
async def test_what_we_did_ourselves_is_looked_at_where_the_feed_is_silent(
    sort: type[Feed], observed: int
) -> None:
    loop = sort(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.wanted = {**FEW, "a": {"n": 5}, "b": {"n": 6}}
        await t.run_for("1m")
        assert done(t.acts) == [("update", "a"), ("update", "b")]
        assert t.status().reason == "4 in step"
        assert loop.observed == observed


async def test_what_is_unknown_stays_unknown_until_it_is_known() -> None:
    loop = Feed(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.set("b", UNKNOWN)
        loop.set("x", UNKNOWN)
        await t.run_for("1m")
        assert t.acts == ()
        loop.set("b", {"n": 3})
        await t.run_for("1m")
        assert done(t.acts) == [("update", "b")]


class Owned(Feed):
    def mine(self, key: str, value: Any) -> bool:
        return "theirs" not in value


async def test_what_becomes_somebody_elses_is_left_alone_and_the_reverse() -> None:
    loop = Owned(FEW)
    async with trial(loop) as t:
        await t.run_once()
        loop.set("b", {"theirs": 1})
        loop.set("x", {"theirs": 1})
        await t.run_for("1m")
        assert t.acts == ()
        assert t.status().state == "DEGRADED"
        loop.set("b", {"n": 2})
        loop.set("x", ABSENT)
        await t.run_for("1m")
        assert (t.status().state, t.status().reason) == ("READY", "4 in step")


class Storeys(Feed):
    """Needs and groups with a feed."""

    def needs(self, key: str, value: Any) -> list[str]:
        return [] if key == "a" else ["a"]

    def group(self, key: str, value: Any) -> str:
        return "ground" if key == "a" else "above"


async def test_needs_and_groups_follow_the_changes() -> None:
    loop = Storeys(FEW, {})
    async with trial(loop) as t:
        await t.run_for("2m")
        assert loop.calls[0][1] == "a"
        plan = (await t.station.judged("Storeys")).plan
        assert plan.groups == {"ground": 1, "above": 3}
        loop.wanted = {**FEW, "e": {"n": 5}}
        plan = (await t.station.judged("Storeys")).plan
        assert plan.groups == {"ground": 1, "above": 4}
        assert plan.needs["e"] == ("a",)


class FedAttic(Attic):
    """Parks, with a feed, and lists what is parked as if nothing were."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        super().__init__(wanted)
        self.observed = 0

    async def changes(self) -> Any:
        return {}

    async def observe(self) -> Any:
        self.observed += 1
        return {**self.found, **self.stored}


async def test_what_is_parked_comes_back_although_nothing_seems_to_differ() -> None:
    loop = FedAttic(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = {key: value for key, value in FEW.items() if key != "d"}
        await t.run_for("1m")
        assert loop.stored == {"d": {"n": 4}}
        loop.wanted = FEW
        await t.run_for("1m")
        assert done(t.acts) == [("park", "d"), ("unpark", "d")]
        assert loop.stored == {}


KEYS = st.sampled_from(["a", "b", "c", "d", "e"])
VALUES = st.sampled_from([1, 2, 3, ABSENT, UNKNOWN])
EDITS = st.tuples(st.sampled_from(["found", "wanted"]), KEYS, VALUES)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(EDITS, max_size=4), max_size=8))
def test_for_all_edits_a_fed_loop_plans_what_a_plain_one_does(rounds: list[list[Any]]) -> None:
    class Plain(Shelf):
        pass

    fed, plain = Feed({"a": 1, "b": 2}), Plain({"a": 1, "b": 2})
    with trial(fed, plain) as t:
        for edits in rounds:
            for side, key, value in edits:
                edit(fed, side, key, value)
            plain.found, plain.wanted = dict(fed.found), dict(fed.wanted)
            assert planned(t, "Feed") == planned(t, "Plain")


def edit(loop: Feed, side: str, key: str, value: Any) -> None:
    if side == "found":
        loop.set(key, value)
    elif value in (ABSENT, UNKNOWN):
        loop.wanted = {k: v for k, v in loop.wanted.items() if k != key}
    else:
        loop.wanted = {**loop.wanted, key: value}


def planned(t: Any, loop: str) -> Any:
    plan = t.plan(loop)
    return plan.actions, plan.desired, plan.actual, plan.known, plan.reason
