"""A loop under the engine: it converges, what goes wrong stays contained, and its own objects come back."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, ActState
from setpoint.loop import ABSENT, UNKNOWN, Keyed, Missing, trial
from setpoint.loop.planning import cycle_in
from setpoint.loop.trial import Trial

from .things import Shelf, done

MANY = {f"k{number:02d}": number for number in range(40)}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


async def test_it_converges_and_says_so() -> None:
    loop = Shelf({"a": 1, "b": 2, "c": 3}, {"b": 0})
    async with trial(loop) as t:
        await t.run_once()
        assert (t.status().state, t.status().reason) == ("PENDING", "1 to create")
        await t.run_for("1m")
        assert (t.status().state, t.status().reason) == ("READY", "3 in step")
    assert loop.found == loop.wanted


async def test_drift_is_put_back_at_the_next_look() -> None:
    loop = Shelf({"a": 1, "b": 2})
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.found["b"] = 7
        await t.run_for("31s")
        assert loop.found == {"a": 1, "b": 2}
        assert done(t.acts) == [("update", "b")]


async def test_dropping_one_of_many_deletes_exactly_it() -> None:
    loop = Shelf(MANY)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = {key: value for key, value in MANY.items() if key != "k07"}
        await t.run_for("2m")
        assert done(t.acts) == [("delete", "k07")]
        assert len(loop.found) == 39


async def test_an_empty_answer_is_held_and_an_approval_releases_it() -> None:
    loop = Shelf({"a": 1, "b": 2})
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = {}
        await t.run_for("10m")
        assert t.status().state == "HELD"
        assert "nothing is declared while 2 exist" in t.status().reason
        assert t.acts == ()
        await t.approve()
        await t.run_for("1m")
        assert loop.found == {}
        assert t.status().reason == "0 in step"


class Spoken(Keyed):
    """Writes create and update instead of put."""

    def __init__(self, wanted: dict[str, Any], found: dict[str, Any]) -> None:
        self.wanted, self.found = wanted, found
        self.calls: list[tuple[str, str]] = []

    def desired(self) -> Any:
        return self.wanted

    def observe(self) -> Any:
        return dict(self.found)

    def create(self, key: str, value: Any) -> None:
        self.calls.append(("create", key))
        self.found[key] = value

    def update(self, key: str, value: Any) -> None:
        self.calls.append(("update", key))
        self.found[key] = value

    def delete(self, key: str) -> None:
        self.calls.append(("delete", key))
        del self.found[key]


async def test_create_and_update_are_called_where_there_is_no_put() -> None:
    loop = Spoken({"a": 1, "b": 2}, {"b": 0, "old": 0})
    async with trial(loop) as t:
        await t.run_for("1m")
    assert loop.calls == [("create", "a"), ("update", "b"), ("delete", "old")]


async def test_deleting_what_is_gone_already_is_done() -> None:
    class Gone(Shelf):
        async def delete(self, key: str) -> None:
            await super().delete(key)
            raise Missing(key)

    loop = Gone({"a": 1, "b": 2}, {"a": 1, "b": 2, "old": 1})
    async with trial(loop) as t:
        await t.run_for("1m")
        assert [act.state for act in t.acts] == [ActState.DONE]


@dataclass(frozen=True)
class Flag:
    on: bool
    note: str = ""


async def test_a_field_that_another_writer_keeps_is_left_to_him_in_the_loops_own_type() -> None:
    loop = Shelf({"a": Flag(on=True, note="ours")}, {})
    async with trial(loop) as t:
        await t.run_for("1m")
        for _ in range(6):
            held = loop.found["a"]
            loop.found["a"] = Flag(on=held.on, note="theirs")
            await t.run_for("40s")
        loop.found["a"] = Flag(on=False, note="theirs")
        await t.run_for("40s")
    assert loop.found["a"] == Flag(on=True, note="theirs")
    assert isinstance(loop.calls[-1][2], Flag)


class Looking(Shelf):
    """Can be asked directly, and may answer something else."""

    def __init__(self, wanted: dict[str, Any], found: dict[str, Any] | None = None) -> None:
        super().__init__(wanted, found)
        self.truth: dict[str, Any] = {}

    def look(self, key: str) -> Any:
        self.calls.append(("look", key))
        return self.truth.get(key, self.found.get(key, ABSENT))


@pytest.mark.parametrize("truth", [7, UNKNOWN])
async def test_a_look_that_disagrees_with_the_listing_lets_nothing_go(truth: Any) -> None:
    loop = Looking({"a": 1, "b": 2}, {"a": 1, "b": 2, "old": 3})
    loop.truth["old"] = truth
    async with trial(loop) as t:
        await t.run_for("5m")
        assert t.status().reason.startswith("the listing and a direct look disagree about old")
        assert t.acts == ()


class Counting(Shelf):
    looks = 0

    async def observe(self) -> Any:
        self.looks += 1
        return dict(self.found)


async def test_many_second_looks_share_one_observation() -> None:
    loop = Counting(MANY, MANY | {"x": 1, "y": 2, "z": 3})
    async with trial(loop) as t:
        await t.run_once()
        t.runtime.time += 10
        await t.run_once()
        before = loop.looks
        t.runtime.time += 10
        await t.run_once()
        assert len(t.acts) == 3
        assert loop.looks == before + 2


async def test_the_shared_observation_ends_with_the_first_act() -> None:
    loop = Counting({"a": 1}, {"a": 1})
    async with trial(loop) as t:
        await t.run_once()
        entity, domain = await t.station.entity("Counting"), t.station.domains["Counting"]
        assert await domain.look(entity, "a") == 1
        loop.found["b"] = 2
        assert await domain.look(entity, "b") is ABSENT
        await domain.act(entity, Act(id="1", domain=entity.ref, organization="", verb=Verb.DELETE, item="a"))
        assert await domain.look(entity, "a") is ABSENT
        assert await domain.look(entity, "b") == 2


class Hanging(Shelf):
    """A plain put that lands or does not, and then hangs."""

    deadline = 0.05
    observe_deadline = 60
    lands = False

    def __init__(self, gate: threading.Event, wanted: dict[str, Any], found: dict[str, Any]) -> None:
        super().__init__(wanted, found)
        self.gate = gate

    def put(self, key: str, value: Any) -> None:  # type: ignore[override]
        self.calls.append(("put", key, value))
        if self.lands:
            self.found[key] = value
        self.gate.wait(60)


async def test_a_put_that_hangs_keeps_its_item_open_as_long_as_it_hangs(gate: threading.Event) -> None:
    loop = Hanging(gate, {"a": 1}, {})
    async with trial(loop) as t:
        await t.run_for("5m")
        assert [act.state for act in t.acts] == [ActState.UNKNOWN]
        assert loop.calls == [("put", "a", 1)]
        assert "Hanging.put('a') gave no answer within 0.05 s" in t.acts[0].detail
        loop.found["a"] = 1
        await t.run_for("1m")
        assert [act.state for act in t.acts] == [ActState.DONE]
        assert t.status().state == "READY"


async def test_a_put_that_landed_is_done_although_it_still_hangs(gate: threading.Event) -> None:
    loop = Hanging(gate, {"a": 1}, {})
    loop.lands = True
    async with trial(loop) as t:
        await t.run_for("1m")
        assert [act.state for act in t.acts] == [ActState.DONE]
        assert t.status().state == "READY"


async def test_while_one_item_hangs_the_others_go_on(gate: threading.Event) -> None:
    class OneHangs(Hanging):
        def put(self, key: str, value: Any) -> None:  # type: ignore[override]
            if key == "a":
                super().put(key, value)
            self.found[key] = value

    loop = OneHangs(gate, {"a": 1, "b": 2, "c": 3}, {"a": 0, "b": 0, "c": 0})
    async with trial(loop) as t:
        await t.run_for("10m")
        assert loop.found["a"] == 0
        states = {act.item: act.state for act in t.acts}
        assert states["a"] is ActState.UNKNOWN


class Mine(Shelf):
    def mine(self, key: str, value: Any) -> bool:
        return not (isinstance(value, str) and value.startswith("theirs"))


async def test_what_is_not_mine_is_neither_deleted_nor_taken_over() -> None:
    loop = Mine({"a": 1, "b": 2}, {"a": 1, "b": "theirs", "c": "theirs too"})
    async with trial(loop) as t:
        await t.run_for("10m")
        assert loop.calls == []
        assert t.status().state == "DEGRADED"
        said = "2 in step; left alone, because mine() says that it is not ours: b"
        assert t.status().reason == said


class Grouped(Shelf):
    def group(self, key: str, value: Any) -> str:
        return key[0]


async def test_a_group_that_is_wholly_gone_holds_the_plan() -> None:
    wanted = {f"{group}{number}": number for group in "abcdefgh" for number in range(3)}
    loop = Grouped(wanted)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = {key: value for key, value in wanted.items() if key[0] != "c"}
        await t.run_for("5m")
        assert t.status().reason.startswith("nothing of c is declared any more, where 3 were")
        assert t.acts == ()


class Built(Shelf):
    """A house: each storey needs the one below it."""

    at_once = 8

    def needs(self, key: str, value: Any) -> list[str]:
        below = f"floor{int(key[5:]) - 1}"
        return [below] if key != "floor0" else []


async def test_what_is_needed_is_made_first_and_goes_last() -> None:
    house = {f"floor{number}": number for number in range(6)}
    loop = Built(house, {})
    async with trial(loop) as t:
        await t.run_for("5m")
        assert [call[1] for call in loop.calls] == list(house)
        loop.calls.clear()
        loop.wanted = {"floor0": 0, "floor1": 1, "floor2": 2}
        await t.run_for("1m")
        assert loop.calls == [("delete", "floor5"), ("delete", "floor4"), ("delete", "floor3")]


@pytest.mark.parametrize(
    ("needs", "cycle"),
    [
        ({}, ()),
        ({"a": ("b",), "b": ("c",), "c": ()}, ()),
        ({"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()}, ()),
        ({"a": ("a",)}, ("a", "a")),
        ({"z": (), "a": ("b",), "b": ("c",), "c": ("b",)}, ("b", "c", "b")),
        ({f"{number}": (f"{number - 1}",) for number in range(1, 5000)}, ()),
    ],
)
def test_a_circle_is_found(needs: dict[str, tuple[str, ...]], cycle: tuple[str, ...]) -> None:
    assert cycle_in(needs) == cycle


async def test_true_and_one_are_not_the_same() -> None:
    loop = Shelf({"a": {"on": True}}, {"a": {"on": 1}})
    async with trial(loop) as t:
        await t.run_for("1m")
    assert loop.found == {"a": {"on": True}}
    assert loop.found["a"]["on"] is True


async def test_weights_are_told_to_the_guards() -> None:
    class Heavy(Shelf):
        weight = 20

    async with trial(Heavy({"a": 1}, {"a": 1, "b": 1, "c": 1})) as t:
        plan = await planned(t, "Heavy")
        assert plan.weight == 60
        assert [(action.verb, action.weight) for action in plan.actions] == [
            (Verb.DELETE, 20),
            (Verb.DELETE, 20),
        ]


async def planned(t: Trial, loop: str) -> Any:
    return (await t.station.judged(loop)).plan
