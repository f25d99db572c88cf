"""A pipeline, one step at a time: forward, waiting, failing, walking back."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.engine.entity import Ref, Shape
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.pipeline import (
    MOST_TURNS,
    UNDO_ATTEMPTS,
    Pipeline,
    Step,
    Wait,
    advance,
    cancelled,
    progress,
    remembered,
    standing,
)
from setpoint.engine.rows import Task, TaskState

NOW = 1000.0


class Cake(Shape, frozen=True):
    """What is carried from step to step."""

    layers: tuple[str, ...] = ()


class Kitchen:
    """The world of these steps: each answers once from its script, then works."""

    def __init__(self, **script: Any) -> None:
        self.script: dict[str, list[Exception | Wait]] = script
        self.done: list[str] = []

    def answer(self, name: str) -> Wait | None:
        waiting = self.script.get(name, [])
        found = waiting.pop(0) if waiting else None
        if isinstance(found, Exception):
            raise found
        return found


def doing(name: str) -> Callable[[Kitchen, Cake, Task], Awaitable[Cake | Wait]]:
    async def do(kitchen: Kitchen, cake: Cake, task: Task) -> Cake | Wait:
        waits = kitchen.answer(name)
        if waits is not None:
            return waits
        kitchen.done.append(name)
        return cake if name in cake.layers else replace(cake, layers=(*cake.layers, name))

    return do


def undoing(name: str) -> Callable[[Kitchen, Cake, Task], Awaitable[Cake]]:
    async def undo(kitchen: Kitchen, cake: Cake, task: Task) -> Cake:
        kitchen.answer(f"un{name}")
        kitchen.done.append(f"un{name}")
        return replace(cake, layers=tuple(layer for layer in cake.layers if layer != name))

    return undo


BAKE = Pipeline(
    name="cake.bake",
    about="Bakes.",
    state=Cake,
    steps=(
        Step("mix", "mixed", doing("mix"), undoing("mix"), retries=2),
        Step("bake", "baked", doing("bake"), retries=2),
        Step("ice", "iced", doing("ice"), undoing("ice"), retries=2),
    ),
)
NAMES = [step.name for step in BAKE.steps]
TASK = Task(id="t1", pipeline="cake.bake", target=Ref("cake/1"), key="k", organization="acme", asked_by="ann")


async def through(kitchen: Kitchen, task: Task = TASK, turns: int = 100) -> Task:
    """Step by step until it ends, or this often."""
    for _ in range(turns):
        if not task.open:
            return task
        task = await advance(BAKE, task, kitchen, NOW, 0.5)
    return task


async def test_the_steps_are_taken_in_their_order_and_the_state_is_carried() -> None:
    kitchen = Kitchen()
    ended = await through(kitchen)
    assert (ended.state, kitchen.done, ended.saved) == (TaskState.DONE, NAMES, {"layers": tuple(NAMES)})
    assert (ended.steps_done, ended.reason) == (tuple(NAMES), "ice done")


async def test_the_next_step_is_saved_by_name_before_it_runs() -> None:
    after = await advance(BAKE, TASK, Kitchen(), NOW, 0.5)
    assert (after.state, after.step, after.steps_done) == (TaskState.RUNNING, "bake", ("mix",))


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_that_runs_twice_leaves_the_same_state(name: str) -> None:
    before = await through(Kitchen(), turns=NAMES.index(name))
    once = await advance(BAKE, before, Kitchen(), NOW, 0.5)
    again = await advance(BAKE, replace(before, saved=once.saved), Kitchen(), NOW, 0.5)
    assert once == again


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_that_is_refused_ends_with_all_that_was_made_undone(name: str) -> None:
    kitchen = Kitchen(**{name: [Rejected("no eggs")]})
    ended = await through(kitchen)
    undone = [f"un{step}" for step in reversed(NAMES[: NAMES.index(name) + 1]) if step != "bake"]
    assert (ended.state, ended.error) == (TaskState.FAILED, "no eggs")
    assert kitchen.done == [*NAMES[: NAMES.index(name)], *undone]
    assert "mix" not in ended.saved["layers"]
    assert "ice" not in ended.saved["layers"]
    assert (ended.steps_done, ended.step) == ((), "")


@pytest.mark.parametrize("error", [Transient("slow"), Conflict("busy"), Missing("not there yet")], ids=str)
async def test_what_may_pass_is_tried_again_and_then_goes_on(error: Exception) -> None:
    kitchen = Kitchen(bake=[error, error])
    waiting = await through(kitchen, turns=2)
    assert (waiting.state, waiting.attempts, waiting.error) == (TaskState.WAITING, 1, str(error))
    assert (waiting.reason, waiting.due_at) == (f"bake failed on try 1 of 2: {error}", NOW + 0.6)
    ended = await through(kitchen, waiting)
    assert (ended.state, ended.error, ended.attempts) == (TaskState.DONE, "", 0)


async def test_what_does_not_pass_is_undone_after_its_last_try() -> None:
    ended = await through(Kitchen(bake=[Transient("slow")] * 3))
    assert (ended.state, ended.reason) == (TaskState.FAILED, "undone mix; slow")


async def test_a_step_may_say_that_it_is_not_time_yet() -> None:
    waiting = await advance(BAKE, TASK, Kitchen(mix=[Wait(7.0, "warming up")]), NOW, 0.5)
    assert (waiting.state, waiting.due_at, waiting.reason) == (TaskState.WAITING, NOW + 7.0, "warming up")
    assert (waiting.step, waiting.steps_done, waiting.attempts) == ("mix", (), 0)


async def test_what_is_not_allowed_waits_for_a_person_and_undoes_nothing() -> None:
    kitchen = Kitchen(bake=[Denied("bad token")] * 50)
    waiting = await through(kitchen, turns=50)
    assert (waiting.state, waiting.due_at, kitchen.done) == (TaskState.WAITING, NOW + 5.0, ["mix"])
    kitchen.script = {}
    assert (await through(kitchen, waiting)).state is TaskState.DONE


async def test_a_step_that_this_version_does_not_know_is_refused_and_the_rest_undone() -> None:
    kitchen = Kitchen()
    half = replace(
        TASK, state=TaskState.RUNNING, step="flambé", steps_done=("mix",), saved={"layers": ["mix"]}
    )
    ended = await through(kitchen, half)
    assert (ended.state, kitchen.done) == (TaskState.FAILED, ["unmix"])
    assert ended.error == "pipeline cake.bake has no step 'flambé'; it has ['mix', 'bake', 'ice']"


async def test_an_undo_that_fails_is_tried_again() -> None:
    kitchen = Kitchen(ice=[Rejected("no sugar")], unice=[Transient("slow")])
    undoing_task = await through(kitchen, turns=4)
    assert (undoing_task.state, undoing_task.attempts) == (TaskState.UNDOING, 1)
    assert undoing_task.reason == "undoing ice: slow"
    assert (await through(kitchen, undoing_task)).reason == "undone mix; no sugar"


async def test_an_undo_that_works_at_the_last_try_has_worked() -> None:
    kitchen = Kitchen(ice=[Rejected("no sugar")], unice=[Transient("slow")] * UNDO_ATTEMPTS)
    assert (await through(kitchen)).reason == "undone mix; no sugar"


async def test_an_undo_that_never_works_is_said_in_the_end() -> None:
    kitchen = Kitchen(ice=[Rejected("no sugar")], unice=[Transient("slow")] * (UNDO_ATTEMPTS + 1))
    ended = await through(kitchen)
    assert (ended.state, ended.reason) == (TaskState.FAILED, "could not undo ice: slow")


async def test_a_task_that_undoes_nothing_made_ends_at_once() -> None:
    fresh = replace(TASK, state=TaskState.UNDOING, reason="told to")
    ended = await through(Kitchen(), fresh)
    assert (ended.state, ended.reason) == (TaskState.FAILED, "told to")


async def test_an_undo_goes_on_where_it_was_with_no_step_named() -> None:
    half = replace(TASK, state=TaskState.UNDOING, steps_done=("mix",), saved={"layers": ["mix"]})
    kitchen = Kitchen()
    await through(kitchen, half)
    assert kitchen.done == ["unmix"]


async def test_a_cancelled_task_walks_back_over_what_it_has_done() -> None:
    kitchen = Kitchen()
    begun = await through(kitchen, turns=2)
    stopped = cancelled(begun, "by ann: a mistake", NOW)
    assert (stopped.state, stopped.error) == (TaskState.UNDOING, "cancelled by ann: a mistake")
    over = await through(kitchen, stopped)
    assert (over.state, over.cancelled) == (TaskState.FAILED, "by ann: a mistake")
    assert kitchen.done == ["mix", "bake", "unice", "unmix"]


def test_a_cancelled_task_that_has_not_begun_is_over() -> None:
    over = cancelled(TASK, "by ann: a mistake", NOW)
    assert (over.state, over.reason) == (TaskState.FAILED, "cancelled by ann: a mistake")


def test_a_task_that_walks_back_already_goes_on_doing_so() -> None:
    back = replace(TASK, state=TaskState.UNDOING, step="second", error="no room")
    assert cancelled(back, "by ann: a mistake", NOW) == replace(back, cancelled="by ann: a mistake")


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (TASK, "cake.bake step 1 of 3: queued"),
        (replace(TASK, step="bake", steps_done=("mix",)), "cake.bake step 2 of 3: bake"),
        (replace(TASK, step="ice", steps_done=tuple(NAMES)), "cake.bake step 3 of 3: ice"),
    ],
)
def test_how_far_it_is_can_be_said(task: Task, words: str) -> None:
    assert progress(BAKE, task) == words


def test_a_task_keeps_how_each_turn_went_and_counts_what_repeats() -> None:
    waits = Task(id="t", pipeline="cake", target=Ref("cake/1"), key="k", organization="acme", asked_by="ann")
    for turn in range(3):
        reason = f"bake failed on try {turn + 1} of 10: cold"
        after = replace(waits, state=TaskState.WAITING, step="bake", reason=reason)
        waits = remembered(waits, after, NOW + turn)
    baked = remembered(waits, replace(waits, step="ice", steps_done=("bake",), reason="bake done"), NOW + 9)
    assert [(each.step, each.times, each.first, each.last) for each in baked.story] == [
        ("bake", 3, NOW, NOW + 2),
        ("bake", 1, NOW + 9, NOW + 9),
    ]
    assert baked.story[0].said == "bake failed on try 3 of 10: cold"
    for turn in range(100):
        baked = remembered(baked, replace(baked, reason="odd" if turn % 2 else "even"), NOW + 10)
    assert len(baked.story) == MOST_TURNS


async def nothing(kitchen: Kitchen, cake: Cake, task: Task) -> Cake:
    return cake


@pytest.mark.parametrize(
    ("steps", "done", "begins", "stands"),
    [
        ("do do do", 2, "s2", ("s0", "s1")),
        ("do do do", 0, "s0", ()),
        ("undo do do", 2, "s0", ()),
        ("do undo do", 2, "s1", ("s0",)),
        ("look do look", 2, "s0", ("s1",)),
        ("look look do", 2, "s0", ()),
        ("do look undo do", 3, "s1", ("s0",)),
    ],
)
def test_a_task_begun_once_more_leaves_what_stands(
    steps: str, done: int, begins: str, stands: tuple[str, ...]
) -> None:
    """What was undone, what was done to something that is undone, and what was only looked at come anew."""
    made = tuple(
        Step(f"s{at}", "x", nothing, nothing if word == "undo" else None, looks=word == "look")
        for at, word in enumerate(steps.split())
    )
    pipeline = Pipeline("cake.bake", "Bakes.", Cake, made)
    failed_at = replace(
        TASK,
        state=TaskState.FAILED,
        steps_done=tuple(f"s{at}" for at in range(done)),
        saved={"layers": ["x"]},
    )
    assert standing(pipeline, failed_at) == stands
    assert pipeline.after("", stands) == begins
