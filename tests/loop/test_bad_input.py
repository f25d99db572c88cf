"""Whatever a loop answers that is no answer: one clear error, no act, and the other loops go on."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import pytest

from setpoint.engine.store import ACTS_PAGE
from setpoint.loop import ABSENT, UNKNOWN, Keyed, Rejected, Transient, trial

from .things import Shelf, done, saying, saying_async


class Half:
    """Iterates, and then does not."""

    def __iter__(self) -> Iterator[Any]:
        yield "a", 1
        raise OSError("the connection is gone")


def half() -> Iterator[Any]:
    yield "a", 1
    raise OSError("the connection is gone")


async def later(value: Any = None) -> Any:
    return value


def unawaited() -> dict[str, Any]:
    """The values are coroutines; closed here, so that Python does not warn about them."""
    forgotten = later()
    forgotten.close()
    return {"a": forgotten}


BAD: list[tuple[Any, str]] = [
    (lambda: None, "returned nothing; expected is a mapping of key to value, or pairs of them, and {} where"),
    (lambda: 7, "returned 7 (int); expected is a mapping"),
    (lambda: "a=1", "returned 'a=1' (str); expected is a mapping"),
    (lambda: b"a=1", "returned b'a=1' (bytes); expected is a mapping"),
    (lambda: ["a", "b"], "gave 'a' (str); expected is a mapping"),
    (lambda: [1, 2], "gave 1 (int); expected is a mapping"),
    (lambda: [("a", 1, 2)], "gave ('a', 1, 2) (tuple); expected is a mapping"),
    (lambda: [("a", 1), ("b", 2), ("a", 3)], "gave the key 'a' twice; each key names one thing"),
    (lambda: [(["a"], 1)], "the key ['a'] is a list; keys are text"),
    (lambda: [({}, 1)], "the key {} is a dict; keys are text"),
    (lambda: {1: "a"}, "the key 1 is an int; keys are text, so spell it with str()"),
    (lambda: {("a", "b"): 1}, "the key ('a', 'b') is a tuple; keys are text"),
    (lambda: {None: 1}, "the key None is a NoneType; keys are text"),
    (lambda: {"": 1}, "a key is empty text"),
    (lambda: {"a\nb": 1}, "the key 'a\\nb' has a character that cannot be shown on one line"),
    (lambda: {"a": object}, "has a value of type type at 'a': JSON cannot say it"),
    (
        lambda: {"a": {"b": float("nan")}},
        "has a value of type dict at 'a': JSON cannot say it: there is a nan",
    ),
    (unawaited, "has a value of type coroutine at 'a': JSON cannot say it"),
    (half, "raised OSError: the connection is gone"),
    (Half, "raised OSError: the connection is gone"),
    (lambda: {}["x"], "raised KeyError: 'x'"),
    (lambda: open("/nowhere"), "raised FileNotFoundError"),  # noqa: SIM115, PTH123
]


@pytest.mark.parametrize("method", ["desired", "observe"])
@pytest.mark.parametrize("write", [saying, saying_async], ids=["plain", "async"])
@pytest.mark.parametrize(("answer", "said"), BAD, ids=[said[:30] for _, said in BAD])
async def test_no_plan_is_made_from_it(method: str, write: Any, answer: Any, said: str) -> None:
    loop, other = write(method, answer), Good({"a": 1}, {})
    async with trial(loop, other) as t:
        await t.run_for("3m")
        status = t.status("Shelf")
        assert f"Shelf.{method}()" in status.reason
        assert said in status.reason
        assert status.state in ("FAILED", "PENDING")
        assert loop.calls == []
        assert t.status("Good").state == "READY"
        assert done(t.acts) == [("create", "a")]


class Good(Shelf):
    """The other loop in the file."""


class Stops(Shelf):
    async def observe(self) -> AsyncIterator[tuple[str, Any]]:  # type: ignore[override]
        yield "a", 1
        raise OSError("page 2 is missing")


async def test_an_async_generator_that_stops_half_way_is_no_observation() -> None:
    loop = Stops({"a": 1, "b": 2})
    async with trial(loop) as t:
        await t.run_for("1m")
        assert t.status().reason.startswith("Stops.observe() raised OSError: page 2 is missing (test_bad")
        assert t.acts == ()


class Pairs(Shelf):
    def observe(self) -> Iterator[tuple[str, Any]]:
        yield from self.found.items()

    async def desired(self) -> AsyncIterator[tuple[str, Any]]:  # type: ignore[override]
        for pair in self.wanted.items():
            yield pair


async def test_generators_that_end_well_are_as_good_as_mappings() -> None:
    loop = Pairs({"a": 1, "b": {"c": 2}}, {"a": 0})
    async with trial(loop) as t:
        await t.run_for("1m")
        assert loop.found == loop.wanted
        assert t.status().reason == "2 in step"


@pytest.mark.parametrize("method", ["desired", "observe"])
async def test_one_that_hangs_is_named_with_its_deadline(method: str) -> None:
    gate = threading.Event()
    loop, other = saying(method, lambda: gate.wait(5)), Good({"a": 1}, {})
    type(loop).deadline = 0.05
    try:
        async with trial(loop, other) as t:
            await t.run_once("Shelf")
            assert t.status("Shelf").reason == f"Shelf.{method}() gave no answer within 0.05 s"
            await t.run_once("Shelf")
            assert f"Shelf.{method}() has been running since 2023-" in t.status("Shelf").reason
            await t.run_for("1m")
            assert loop.calls == []
            assert other.found == {"a": 1}
    finally:
        gate.set()


@pytest.mark.parametrize("value", [ABSENT, UNKNOWN])
async def test_intent_is_never_absent_or_unknown(value: Any) -> None:
    async with trial(Shelf({"a": value}, {})) as t:
        await t.run_for("1m")
        assert t.status().reason == (
            f"Shelf.desired() has {value.name} at 'a'; leave out what is not wanted, or raise"
        )
        assert t.acts == ()


async def test_what_observe_does_not_know_is_neither_made_nor_changed_nor_deleted() -> None:
    loop = Shelf({"a": 1, "b": 2}, {"a": UNKNOWN, "b": 2, "c": UNKNOWN, "d": ABSENT})
    async with trial(loop) as t:
        await t.run_for("1h")
        assert loop.calls == []
        assert t.status().state == "READY"


async def test_what_observe_says_is_absent_is_not_there() -> None:
    loop = Shelf({"a": 1}, {"a": ABSENT})
    async with trial(loop) as t:
        await t.run_for("1m")
        assert loop.found == {"a": 1}


class LooksBadly(Shelf):
    def __init__(self, answer: Any) -> None:
        super().__init__({"a": 1, "b": 2}, {"a": 1, "b": 2, "old": 3})
        self.answer = answer

    def look(self, key: str) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "LooksBadly.look('old') returned None; return ABSENT if it is not there, UNKNOWN if nobody"),
        (object(), "LooksBadly.look() has a value of type object at 'old'"),
        (ValueError("no"), "LooksBadly.look('old') raised ValueError: no"),
    ],
)
async def test_a_look_that_says_nothing_lets_nothing_go(answer: Any, said: str) -> None:
    loop = LooksBadly(answer)
    async with trial(loop) as t:
        await t.run_for("5m")
        assert said in t.status().reason
        assert loop.calls == []


async def test_a_look_may_say_none_where_the_value_is_none() -> None:
    loop = LooksBadly(None)
    loop.found["old"] = None
    async with trial(loop) as t:
        await t.run_for("5m")
        assert loop.calls == [("delete", "old")]


class Sorting(Shelf):
    answers: ClassVar[dict[str, Any]] = {}

    def needs(self, key: str, value: Any) -> Any:
        answer = self.answers.get(key, ())
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"a": "b"}, "Sorting.needs('a') returned 'b' (str); expected are keys"),
        ({"a": 7}, "Sorting.needs('a') returned 7 (int); expected are keys"),
        ({"a": ["z"]}, "Sorting.needs('a') names 'z', which is neither wanted nor there"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "Sorting.needs goes in a circle: a needs b needs c needs a"),
        ({"b": ["b"]}, "Sorting.needs goes in a circle: b needs b"),
        ({"a": ZeroDivisionError("oh")}, "Sorting.needs('a') raised ZeroDivisionError: oh"),
        ({"a": Rejected("not that one")}, "not that one"),
    ],
)
async def test_needs_that_cannot_be_met_are_named(
    answers: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sorting, "answers", answers)
    loop = Sorting({"a": 1, "b": 2, "c": 3}, {})
    async with trial(loop) as t:
        await t.run_for("1m")
        assert t.status().reason.partition(" (test_bad_input.py:")[0] == said
        assert loop.calls == []


class Raises(Shelf):
    error: Exception = ValueError("bad")

    async def put(self, key: str, value: Any) -> None:
        self.calls.append(("put", key, value))
        raise self.error


@pytest.mark.parametrize(
    ("error", "state"),
    [(ValueError("bad"), "unknown"), (Rejected("bad"), "failed"), (Transient("bad"), "failed")],
)
async def test_an_act_that_raises_is_unknown_unless_it_says_better(
    error: Exception, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Raises, "error", error)
    async with trial(Raises({"a": 1}, {})) as t:
        await t.run_once()
        assert [act.state.value for act in t.acts] == [state]
        assert "bad" in t.acts[0].detail
        records = await t.station.store.read(ACTS_PAGE, domain=t.station.ref("Raises"), after="", limit=5)
        assert [act.id for act in records] == [t.acts[0].id]


async def test_two_loops_at_once_do_not_wait_for_each_other() -> None:
    gate = threading.Event()
    slow, quick = saying("observe", lambda: gate.wait(5) and {}), Good({"a": 1}, {})
    try:
        async with trial(slow, quick) as t:
            waiting = asyncio.create_task(t.run_once("Shelf"))
            await asyncio.sleep(0.01)
            await t.run_once("Good")
            assert quick.found == {"a": 1}
            assert not waiting.done()
            gate.set()
            await waiting
    finally:
        gate.set()


def test_every_loop_is_a_keyed() -> None:
    assert issubclass(Shelf, Keyed)
