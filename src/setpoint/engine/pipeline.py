"""A pipeline is a list of idempotent steps over one saved state; the next step is saved by name."""

from collections.abc import Awaitable, Callable, Collection
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from setpoint.engine.conclude import back_off
from setpoint.engine.entity import Shape
from setpoint.engine.errors import FAILURES, Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.ledger import alike
from setpoint.engine.rows import Task, TaskState
from setpoint.engine.turn import Turn

AnyState = Any
AnyWorld = Any
UNDO_ATTEMPTS: Final = 20
MOST_TURNS: Final = 60


class Wait(Struct, frozen=True):
    """Not yet: come back in so many seconds, for this reason."""

    seconds: float
    reason: str


class Step(Struct, frozen=True):
    """One idempotent piece of work; `undo` removes only what this task's `do` made."""

    name: str
    about: str
    do: Callable[[AnyWorld, AnyState, Task], Awaitable[AnyState | Wait]]
    undo: Callable[[AnyWorld, AnyState, Task], Awaitable[AnyState]] | None = None
    retries: int = 10
    deadline: float = 30.0
    destroys: bool = False  # Not begun while a switch or an account's mode allows no deletes.
    looks: bool = False  # Changes nothing: what it saw is old when the task is begun once more.


class Pipeline(Struct, frozen=True):
    """A named list of steps. It can be shown before it runs."""

    name: str
    about: str
    state: type[Shape]
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """The step saved by name; a name this version does not know is refused, not guessed."""
        for step in self.steps:
            if step.name == name:
                return step
        raise Rejected(f"pipeline {self.name} has no step {name!r}; it has {[s.name for s in self.steps]}")

    def after(self, name: str, done: Collection[str] = ()) -> str:
        """The next step that is not done; empty when there is none. Before the first one is nothing."""
        names = ["", *(step.name for step in self.steps)]
        return next((each for each in names[names.index(name) + 1 :] if each not in done), "")


async def advance(pipeline: Pipeline, task: Task, world: AnyWorld, now: float, chance: float) -> Task:
    """One step forward, or one step of undoing; the task as it must be saved before the next."""
    if task.state is TaskState.UNDOING:
        return await _undo(pipeline, task, world, now, chance)
    name = task.step or pipeline.steps[0].name
    begun = replace(task, state=TaskState.RUNNING, step=name, changed_at=now)
    try:
        outcome = await pipeline.step(name).do(world, convert(task.saved, pipeline.state), begun)
    except FAILURES as error:
        return failed(pipeline, task, error, now, chance)
    if isinstance(outcome, Wait):
        return replace(begun, state=TaskState.WAITING, due_at=now + outcome.seconds, reason=outcome.reason)
    return _after_step(pipeline, begun, outcome)


def failed(pipeline: Pipeline, task: Task, error: Exception, now: float, chance: float) -> Task:
    """The task after its step, or the undoing of one, ended so: again while that may help, else back."""
    attempts, said = task.attempts + 1, str(error)
    due = now + back_off(attempts, chance, ceiling=30.0)
    if task.state is TaskState.UNDOING:
        given_up = replace(task, state=TaskState.FAILED, reason=f"could not undo {task.step}: {said}")
        again = replace(task, attempts=attempts, due_at=due, reason=f"undoing {task.step}: {said}")
        return again if attempts <= UNDO_ATTEMPTS else given_up
    name = task.step or pipeline.steps[0].name
    begun = replace(task, state=TaskState.WAITING, step=name, error=said, changed_at=now)
    if isinstance(error, Denied):
        # The switch or a credential: nothing is undone for it, the step waits for a person.
        return replace(begun, due_at=now + 5.0, reason=said)
    retries = next((step.retries for step in pipeline.steps if step.name == name), 0)
    if isinstance(error, Transient | Conflict | Missing) and attempts <= retries:
        reason = f"{name} failed on try {attempts} of {retries}: {said}"
        return replace(begun, attempts=attempts, due_at=due, reason=reason)
    return replace(begun, state=TaskState.UNDOING, attempts=0, due_at=0.0, reason=f"{name} failed: {said}")


def cancelled(task: Task, said: str, now: float) -> Task:
    """The task on its way back: what it has done is undone; what has not begun is over."""
    if task.state is TaskState.UNDOING:
        return replace(task, cancelled=said)
    state = TaskState.UNDOING if task.step or task.steps_done else TaskState.FAILED
    told = dict.fromkeys(("reason", "error"), f"cancelled {said}")
    return replace(task, state=state, attempts=0, due_at=0.0, changed_at=now, cancelled=said, **told)


def standing(pipeline: Pipeline, task: Task) -> tuple[str, ...]:
    """What a failed task did and nothing undid: one begun in its place leaves these steps as they are."""
    # What comes after a step that was undone was done to something that is gone.
    kept = takewhile(
        lambda step: not step.undo and (step.looks or step.name in task.steps_done), pipeline.steps
    )
    return tuple(step.name for step in kept if not step.looks)


def remembered(before: Task, after: Task, now: float) -> Task:
    """The task with this turn in its story; what repeats itself is counted."""
    done = after.steps_done[len(before.steps_done) :]
    step = done[-1] if done else after.step or before.step
    turn = Turn(step=step, state=after.state, said=after.reason, first=now, last=now)
    *earlier, last = before.story or (None,)
    if last is not None and (last.step, last.state, alike(last.said)) == (step, turn.state, alike(turn.said)):
        again = replace(last, said=turn.said, last=now, times=last.times + 1)
        return replace(after, story=(*earlier, again), changed_at=now)
    return replace(after, story=(*before.story, turn)[-MOST_TURNS:], changed_at=now)


def progress(pipeline: Pipeline, task: Task) -> str:
    """`step 2 of 4: firewall`, for the status of whatever waits for it."""
    steps = len(pipeline.steps)
    place = min(len(task.steps_done) + 1, steps)
    return f"{pipeline.name} step {place} of {steps}: {task.step or 'queued'}"


def _after_step(pipeline: Pipeline, task: Task, outcome: AnyState) -> Task:
    done = (*task.steps_done, task.step)
    following = pipeline.after(task.step, done)
    return replace(
        task,
        state=TaskState.RUNNING if following else TaskState.DONE,
        step=following or task.step,
        steps_done=done,
        saved=to_builtins(outcome),
        attempts=0,
        due_at=0.0,
        reason=f"{task.step} done",
        error="",
    )


async def _undo(pipeline: Pipeline, task: Task, world: AnyWorld, now: float, chance: float) -> Task:
    """Walk back over the failed step and those before it; what cannot be undone is tried again, then said."""
    done = task.steps_done
    name = task.step or (done[-1] if done else "")
    known = {step.name: step for step in pipeline.steps}
    saved: AnyState = convert(task.saved, pipeline.state)
    try:
        undo = known[name].undo if name in known else None
        saved = await undo(world, saved, task) if undo is not None else saved
    except FAILURES as error:
        return failed(pipeline, task, error, now, chance)
    stands = standing(pipeline, task)
    back = [step for step in done if step != name and step not in stands]
    return replace(
        task,
        state=TaskState.UNDOING if back else TaskState.FAILED,
        step=back[-1] if back else "",
        steps_done=tuple(step for step in done if step in (*stands, *back)),
        saved=to_builtins(saved),
        attempts=0,
        due_at=0.0,
        changed_at=now,
        reason=f"undone {name}; {task.error}" if undo is not None else task.reason,
    )
