"""A plain call that never comes back: it is named with its cure, its item is left alone, the rest goes on."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loop.commands import Folder
from setpoint.engine.rows import ActState, Head
from setpoint.loop import ABSENT, Keyed, trial
from setpoint.loop.trial import Trial

from .things import done


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


class Plain(Keyed):
    """Plain methods; the one that `hangs` does so for the key `a`."""

    deadline = 0.05
    observe_deadline = 60
    probation_gap = 0.01
    hangs = ""

    def __init__(self, gate: threading.Event, wanted: dict[str, Any], found: dict[str, Any]) -> None:
        self.gate, self.wanted, self.found = gate, wanted, found
        self.looks = 0

    def desired(self) -> Any:
        return self.wanted

    def observe(self) -> Any:
        return dict(self.found)

    def put(self, key: str, value: Any) -> None:
        self._meet("put", key)
        self.found[key] = value

    def delete(self, key: str) -> None:
        self._meet("delete", key)
        self.found.pop(key, None)

    def _meet(self, method: str, key: str) -> None:
        if (method, key) == (self.hangs, "a"):
            self.gate.wait(60)


class Spoken(Plain):
    put = None  # type: ignore[assignment]

    def create(self, key: str, value: Any) -> None:
        self._meet("create", key)
        self.found[key] = value

    def update(self, key: str, value: Any) -> None:
        self._meet("update", key)
        self.found[key] = value


class Parking(Plain):
    def park(self, key: str, value: Any) -> None:
        self._meet("park", key)
        self.found.pop(key)

    def unpark(self, key: str, value: Any) -> None:
        self.found[key] = value


class Looking(Plain):
    def look(self, key: str) -> Any:
        self.looks += 1
        self._meet("look", key)
        return self.found.get(key, ABSENT)


WANTED = {"b": 1, "c": 1, "d": 1, "e": 1}
CASES = {
    "put": (Plain, {"a": 1, **WANTED}, {"a": 0, "b": 0}),
    "create": (Spoken, {"a": 1, **WANTED}, {"b": 1}),
    "update": (Spoken, {"a": 1, **WANTED}, {"a": 0, "b": 0}),
    "delete": (Plain, WANTED, {"a": 1, **WANTED, "c": 0}),
    "park": (Parking, WANTED, {"a": 1, **WANTED, "c": 0}),
    "look": (Looking, WANTED, {"a": 1, **WANTED, "c": 0}),
}


@pytest.mark.parametrize("method", CASES)
async def test_it_is_named_with_its_cure_and_said_once(method: str, gate: threading.Event) -> None:
    cls, wanted, found = CASES[method]
    loop = cls(gate, wanted, dict(found))
    loop.hangs = method
    async with trial(loop) as t:
        await t.run_for("2m")
        status = t.status()
        assert status.state == "DEGRADED"
        assert f".{method}('a') has been running since 2023-11-14 22:13:" in status.reason
        assert "restart the process to end it" in status.reason
        assert status.facts["stuck"].keys() == {"a"}
        before = await written(t)
        await t.run_for("2m")
        assert await written(t) == before


async def written(t: Trial) -> list[int]:
    """How far each chain of events has come."""
    heads = [await t.station.store.get(Head, tenant) for tenant in t.station.tenants]
    return [head.revision for head in heads if head is not None]


async def test_what_it_was_about_is_left_alone_until_it_ends(gate: threading.Event) -> None:
    loop = Plain(gate, {"a": 1}, {})
    loop.hangs = "put"
    async with trial(loop) as t:
        await t.run_for("5m")
        assert [act.state for act in t.acts] == [ActState.UNKNOWN]
        gate.set()
        while loop.found != {"a": 1}:
            await t.run_once()
        await t.run_for("1m")
        assert done(t.acts) == [("create", "a")]
        assert (t.status().state, t.status().facts) == ("READY", {})


async def test_every_other_key_is_made_meanwhile(gate: threading.Event) -> None:
    """One of a hundred hangs: the others need no more than two passes more than without it."""
    wanted, passes = {"a": 1, **{f"k{number:02d}": 1 for number in range(99)}}, []
    for hangs in ("", "put"):
        loop = Plain(gate, wanted, dict.fromkeys(wanted, 0))
        loop.hangs = hangs
        async with trial(loop) as t:
            while any(loop.found[key] != 1 for key in wanted if key != "a" or not hangs):
                await t.run_once()
            passes.append(len(t.passes))
    assert passes[1] <= passes[0] + 2


async def test_a_look_that_hangs_is_begun_once(gate: threading.Event) -> None:
    cls, wanted, found = CASES["look"]
    loop = cls(gate, wanted, dict(found))
    loop.hangs = "look"
    async with trial(loop) as t:
        await t.run_for("2m")
        assert loop.found == {"a": 1, **WANTED}  # c is put right, and a is not deleted unseen.
        assert loop.looks == 1


@pytest.mark.parametrize("method", ["desired", "observe"])
async def test_one_that_is_about_everything_names_itself(method: str, gate: threading.Event) -> None:
    loop = type("Plain", (Plain,), {"observe_deadline": 0.05})(gate, {"a": 1}, {"a": 1})
    async with trial(loop) as t:
        while t.status().state != "READY":
            await t.run_once()
        setattr(loop, method, lambda: gate.wait(60))
        await t.run_for("2m")
        assert t.status().state == "DEGRADED"
        assert f"Plain.{method}() has been running since 2023-" in t.status().reason


class Slow(Plain):
    """Observes by way of a gate: as long as a test likes."""

    def observe(self) -> Any:
        self.gate.wait(0.2)
        return dict(self.found)


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [
        ({}, (15.0, 60.0)),
        ({"deadline": "3m"}, (180.0, 180.0)),
        ({"deadline": "15s"}, (15.0, 15.0)),
        ({"deadline": "3s", "observe_deadline": "5m"}, (3.0, 300.0)),
        ({"observe_deadline": "5m"}, (15.0, 300.0)),
    ],
)
async def test_a_deadline_is_for_observing_too(
    settings: dict[str, str], seconds: tuple[float, float], gate: threading.Event
) -> None:
    fields = {name: each for name, each in vars(Plain).items() if "deadline" not in name}
    loop = type("Set", (Keyed,), fields | settings)(gate, {}, {})
    async with trial(loop) as t:
        terms = t.station.terms["Set"]
        assert (terms.deadline, terms.observe_deadline) == seconds
        # desired, changes, observe and sorting, each to its end: the engine does not cut them off before.
        assert t.station.kinds["set"].observe_seconds > 4 * terms.observe_deadline


async def test_an_observation_past_its_own_deadline_is_named_with_it(gate: threading.Event) -> None:
    loop = type("Slow", (Slow,), {"deadline": "3m", "observe_deadline": 0.05})(gate, {"a": 1}, {"a": 1})
    async with trial(loop) as t:
        await t.run_once()
        assert t.status().reason == "Slow.observe() gave no answer within 0.05 s"


async def test_an_observation_may_take_longer_than_an_act(gate: threading.Event) -> None:
    loop = type("Slow", (Slow,), {"deadline": 0.05, "observe_deadline": 60})(gate, {"a": 1}, {"a": 1})
    async with trial(loop) as t:
        await t.run_once()
        assert t.status().state == "READY"


HANG = """\
import threading
from setpoint.loop import Keyed

class Hang(Keyed):
    every, deadline, observe_deadline = "1s", "0.2s", "60s"
    there = {"a": 0}

    def desired(self): return {"a": 1}
    def observe(self): return dict(self.there)
    def put(self, key, value): threading.Event().wait()
    def delete(self, key): del self.there[key]
"""


def test_why_says_that_a_restart_is_the_cure(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("hang.py", HANG)
    with folder.running("hang.py", "--enforce") as run:
        run.until(lambda: "DEGRADED" in run.said)
        for words in ((), ("a",)):
            told = folder.said("why", "hang.py", *words, "-o", "json").body
            assert "Hang.put('a') has been running since " in told["sentence"]
            assert any("restart" in link for link in told["chain"])
            assert told["next"] == []
        assert run.interrupt() == 130
