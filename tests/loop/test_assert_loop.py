"""`assert_loop`: each planted bug is named by the right check, sound loops pass, and no trace is left."""

import asyncio
import json
import sys
import threading
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from setpoint.loop import Keyed, assert_loop
from setpoint.loop.conformance import CHECKS
from setpoint.loop.conformance.crash import spread
from setpoint.loop.conformance.players import altered, invented, players, renamed
from setpoint.loop.conformance.world import World

from .sound import json_file

HERE = Path(__file__).parent
CRASHES = ("crash at every step", "again after a crash")


def modules(folder: str) -> list[ModuleType]:
    names = sorted(path.stem for path in (HERE / folder).glob("[a-z]*.py"))
    return [import_module(f".{folder}.{name}", __package__) for name in names]


def name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def found(error: AssertionError) -> list[str]:
    """The checks that failed, as the message names them: `1. crash at every step: …`."""
    lines = [line for line in str(error).splitlines() if line[:1].isdigit()]
    return [line.partition(". ")[2].partition(":")[0] for line in lines]


@pytest.mark.parametrize("bug", modules("bugs"), ids=name)
def test_a_planted_bug_is_named_by_its_check_and_by_what_follows_from_it(bug: Any, tmp_path: Path) -> None:
    few = {} if bug.FOUND_BY in CRASHES else {"crash_points": 30}
    with pytest.raises(AssertionError) as caught:
        assert_loop(bug.make(tmp_path), **few)
    assert bug.FOUND_BY in found(caught.value)
    assert {*found(caught.value)} <= {bug.FOUND_BY, *bug.ALSO}


def test_every_check_finds_some_bug() -> None:
    assert {check.name for check in CHECKS} == {bug.FOUND_BY for bug in modules("bugs")}


@pytest.mark.parametrize("sound", modules("sound"), ids=name)
def test_nothing_is_found_in_a_sound_loop(sound: Any, tmp_path: Path) -> None:
    report = assert_loop(sound.make(tmp_path))
    assert report.findings == ()
    assert report.left == ""
    assert report.ran >= 23
    assert report.ran + len(report.skipped) == len(CHECKS)


def test_the_loop_of_the_first_ten_minutes_is_told_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    make = import_module(".bugs.write_text", __package__).make(tmp_path)
    with pytest.raises(AssertionError) as caught:
        assert_loop(make)
    message = str(caught.value)
    assert found(caught.value) == ["crash at every step"]
    truncated = f"put is not atomic: a crash after truncating '{tmp_path}/flags.json' loses 3 keys"
    assert truncated in message
    assert "in save" in message
    assert "cure: Make the change in one step: write a new file and rename it over the old one" in message
    assert "why it matters: kill -9" in message
    assert "Scratch: 23 checks, 1 failed" in message


def test_the_world_is_left_as_it_was_found(tmp_path: Path) -> None:
    assert_loop(json_file.make(tmp_path), crash_points=30)
    assert json.loads((tmp_path / "flags.json").read_text()) == {"old": {"on": True}}
    with pytest.raises(AssertionError):
        assert_loop(import_module(".bugs.write_text", __package__).make(tmp_path))
    assert json.loads((tmp_path / "flags.json").read_text()) == {"old": {"on": True}}
    assert [path.name for path in tmp_path.iterdir()] == ["flags.json"]


def test_what_it_exchanged_is_as_before(tmp_path: Path) -> None:
    before = (sys.gettrace(), threading.gettrace(), time.sleep, time.time, sys.unraisablehook)
    assert_loop(json_file.make(tmp_path), crash_points=30)
    assert (sys.gettrace(), threading.gettrace(), time.sleep, time.time, sys.unraisablehook) == before


async def test_it_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    report = assert_loop(json_file.make(tmp_path), crash_points=6)
    assert "event loop" in report.passed
    await asyncio.to_thread(assert_loop, json_file.make(tmp_path), crash_points=6)


def memory(**items: Any) -> type[Keyed]:
    """A loop over a dict; the class is handed over as it is."""
    world = dict(items)

    class Memory(Keyed):
        def desired(self) -> dict[str, Any]:
            return {"a": {"size": 1}, "b": {"size": 2}}

        def observe(self) -> dict[str, Any]:
            return dict(world)

        def put(self, key: str, value: Any) -> None:
            world[key] = value

        def delete(self, key: str) -> None:
            world.pop(key, None)

    return Memory


IN_MEMORY = {"unreachable": "it is in memory, which does not fail"}


def test_it_says_what_it_checked_and_why_it_skipped_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    report = assert_loop(memory(), accept=IN_MEMORY)
    said = capsys.readouterr().out
    assert said.startswith(f"Memory: {report.ran} checks\n")
    assert "passed: well formed, answers, stable, create" in said
    assert "skipped: look: there is no look" in said
    assert "skipped: partial: it reads at most one thing" in said


def test_a_check_is_accepted_as_failing_only_by_its_name_and_with_a_reason(tmp_path: Path) -> None:
    make = import_module(".bugs.deletes_once", __package__).make(tmp_path)
    report = assert_loop(make, accept={"delete twice": "the service forbids it"}, crash_points=6)
    assert report.accepted == (("delete twice", "the service forbids it"),)
    with pytest.raises(ValueError, match="there is no check 'deletes twice'"):
        assert_loop(make, accept={"deletes twice": "because"})
    with pytest.raises(ValueError, match="only with a reason"):
        assert_loop(make, accept={"delete twice": " "})


def test_keys_to_play_with_can_be_handed_over() -> None:
    class Picky(memory()):  # type: ignore[misc]
        def put(self, key: str, value: Any) -> None:
            if key not in ("a", "b", "left", "right"):
                raise ValueError(f"no such place: {key}")
            super().put(key, value)

    with pytest.raises(AssertionError, match=r"no such place: a2(.|\n)*hand over one that can"):
        assert_loop(Picky)
    assert_loop(Picky, sample={"left": {"size": 1}, "right": {"size": 2}}, accept=IN_MEMORY)
    with pytest.raises(ValueError, match="every key of the sample is there already: left"):
        assert_loop(memory(left=1), sample={"left": 2})


def test_a_loop_that_wants_nothing_where_nothing_is_needs_a_sample() -> None:
    class Empty(memory()):  # type: ignore[misc]
        def desired(self) -> dict[str, Any]:
            return {}

    with pytest.raises(ValueError, match="nothing to play with: hand over sample"):
        assert_loop(Empty)
    assert "crash at every step" in assert_loop(Empty, sample={"a": 1, "b": 2}, accept=IN_MEMORY).passed


def test_what_gives_no_loop_or_the_same_one_again_is_refused() -> None:
    one = memory()()
    with pytest.raises(TypeError, match="needs a fresh instance each time"):
        assert_loop(lambda: one)
    with pytest.raises(TypeError, match="this gives an int"):
        assert_loop(lambda: 1)  # type: ignore[arg-type,return-value]


def test_a_call_that_hangs_is_named_in_time() -> None:
    done = threading.Event()

    class Hangs(memory()):  # type: ignore[misc]
        def put(self, key: str, value: Any) -> None:
            done.wait(60)

    with pytest.raises(AssertionError, match=r"put\('a', \{'size': 1\}\) gave no answer in time"):
        assert_loop(Hangs, timeout=0.5)
    done.set()


def test_a_loop_whose_effects_show_later_gets_the_time_that_it_declares() -> None:
    world: dict[str, tuple[float, Any]] = {}

    class Slow(Keyed):
        settles_in = 30.0
        lag = 0.02

        def desired(self) -> dict[str, Any]:
            return {"a": 1}

        def observe(self) -> dict[str, Any]:
            return {k: v for k, (at, v) in world.items() if v is not None and at <= time.monotonic()}

        def put(self, key: str, value: Any) -> None:
            world[key] = (time.monotonic() + self.lag, value)

        def delete(self, key: str) -> None:
            world[key] = (0.0, None)

    accepted = dict.fromkeys(CRASHES, "takes too long here") | IN_MEMORY
    assert "create" in assert_loop(Slow, accept=accepted).passed
    Slow.settles_in, Slow.lag = 0.0, 60.0
    with pytest.raises(AssertionError, match=r"observe\(\) does not show it"):
        assert_loop(Slow)


@pytest.mark.parametrize("lag", [0.005, 0.03])
def test_effects_that_show_late_are_never_blamed_on_the_next_check(lag: float) -> None:
    """In one order, as a real service has it: a key that is put and deleted shows up in between."""
    queued: list[tuple[float, str, Any]] = []

    class Late(Keyed):
        settles_in = 30.0

        def desired(self) -> dict[str, Any]:
            return {"a": 1, "b": 2}

        def observe(self) -> dict[str, Any]:
            there = {key: value for at, key, value in [*queued] if at <= time.monotonic()}
            return {key: value for key, value in there.items() if value is not None}

        def put(self, key: str, value: Any) -> None:
            queued.append((time.monotonic() + lag, key, value))

        def delete(self, key: str) -> None:
            queued.append((time.monotonic() + lag, key, None))

    accepted = dict.fromkeys(CRASHES, "takes too long here") | IN_MEMORY
    assert_loop(Late, accept=accepted)


def test_a_loop_that_tries_again_is_not_waited_for(tmp_path: Path) -> None:
    class Patient(json_file.JsonFile):
        async def observe(self) -> dict[str, Any]:
            for _ in range(4):
                try:
                    return await super().observe()
                except OSError:
                    await asyncio.sleep(60)
            return await super().observe()

    file = json_file.make(tmp_path)().file
    assert "unreachable" in assert_loop(lambda: Patient(file), crash_points=6, timeout=5).passed


def test_the_table_is_complete_and_in_order() -> None:
    names = [check.name for check in CHECKS]
    assert len({*names}) == len(names) >= 14
    for place, check in enumerate(CHECKS):
        assert check.sentence.endswith(".")
        assert check.cure.endswith(".")
        assert check.breaks.endswith(".")
        assert {*check.after} <= {*names[:place]}


@dataclass(frozen=True)
class Flag:
    name: str
    on: bool = True


@pytest.mark.parametrize(
    ("value", "copy"),
    [
        ({"on": True}, {"on": True}),
        ({"name": "beta", "on": True}, {"name": "beta2", "on": True}),
        ({"tags": ["beta", "betamax"]}, {"tags": ["beta2", "betamax"]}),
        (Flag("beta"), Flag("beta2")),
        (Flag("other"), Flag("other")),
        ("beta", "beta2"),
    ],
)
def test_a_value_for_another_key_holds_that_key_where_it_held_its_own(value: Any, copy: Any) -> None:
    assert renamed(value, "beta", "beta2") == copy


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, False),
        (1, 2),
        ("a", "a2"),
        ({"name": "a", "size": 1, "on": True}, {"name": "a", "size": 1, "on": False}),
        ({"inner": {"size": 1}}, {"inner": {"size": 2}}),
        (Flag("a"), Flag("a", on=False)),
        ([1], None),
        ({}, None),
    ],
)
def test_a_guess_at_another_value_differs_in_one_thing(value: Any, other: Any) -> None:
    assert altered(value) == other


def test_players_are_made_up_from_what_is_wanted() -> None:
    cast = players(None, World.of({"a": {"on": True}, "b": {"on": False}}), World.of({"old": {"on": True}}))
    assert cast is not None
    assert (cast.key, cast.second[0][0]) == ("a2", "a22")
    assert cast.values == ({"on": True}, {"on": False})
    assert [key for key, _ in cast.bystanders] == ["a", "b"]
    assert invented("a", {"a2", "a22"}) == "a222"
    assert players(None, World.of({}), World.of({})) is None


@pytest.mark.parametrize(
    ("places", "most", "chosen"),
    [([1, 2, 3], 5, (1, 2, 3)), (list(range(10)), 5, (0, 2, 4, 6, 8)), ([1, 2], 0, ()), ([], 3, ())],
)
def test_points_are_spread_evenly(places: list[int], most: int, chosen: tuple[int, ...]) -> None:
    assert spread(places, most) == chosen


def test_a_failure_is_made_only_where_the_loop_runs(tmp_path: Path) -> None:
    """What the test's own threads open goes on while the loop's sources fail."""
    stop, failures = threading.Event(), []
    other = tmp_path / "other.txt"
    other.write_text("here")

    def read() -> None:
        while not stop.is_set():
            try:
                other.read_text()
            except OSError as error:
                failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        assert_loop(json_file.make(tmp_path), crash_points=6)
    finally:
        stop.set()
        thread.join()
    assert failures == []
