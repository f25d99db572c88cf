"""Passes as turns: everything with a loop, on its interval and whenever it is woken."""

import asyncio

import pytest
from msgspec.structs import replace

from engine.fake_runtime import START
from engine.plant import SHOP, Plant
from setpoint.drive.ownership import LEASE_SECONDS, Ownership
from setpoint.engine.agenda import NEVER, Due
from setpoint.engine.entity import Ref, Scope, State
from setpoint.engine.rows import Lane, PlanRow, PlanState, Task, TaskState, Wake
from setpoint.scheduler import service
from setpoint.scheduler.rehearsal import Rehearsal
from setpoint.scheduler.service import FIRST_LOOK_SECONDS, Scheduler
from setpoint.storage.memory import MemoryStore
from setpoint.worker.service import Worker
from waiting import until


def scheduler(plant: Plant) -> Scheduler:
    rehearsal = Rehearsal(
        plant.store,
        plant.kinds,
        plant.runtime,
        plant.reconciler,
        lambda intent: dict.fromkeys(plant.kinds, plant.loop),
    )
    return Scheduler(
        store=plant.store,
        kinds=plant.kinds,
        runtime=plant.runtime,
        reconciler=plant.reconciler,
        rehearsal=rehearsal,
        intervals={name: 60.0 for name, kind in plant.kinds.items() if kind.loop is not None},
        told=lambda event, fields: None,
        at_once=4,
        ownership=plant.ownership,
    )


async def taken(plant: Plant, seconds: float) -> list[Ref]:
    """Everything on the agenda of a fresh start, in its order, within so many seconds."""
    started = scheduler(plant)
    drive = started.drive()
    await drive.turns.load(drive.agenda)
    found = []
    for step in range(int(seconds * 20) + 2):
        while (due := drive.agenda.take(START + step * 0.05)) is not None:
            found.append(due.ref)
    return [ref for ref in found if ref not in service.OF_OUR_OWN]


async def test_at_a_start_everything_with_a_loop_is_looked_at_once(plant: Plant) -> None:
    for number in range(30):
        await plant.declare("shelf", f"s{number}")
        await plant.declare("note", f"n{number}")
    found = await taken(plant, FIRST_LOOK_SECONDS)
    assert len(found) == len(set(found)) == 32
    assert not any(ref.startswith("note/") for ref in found)


async def test_everything_is_found_however_many_pages_it_takes(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PAGE", 5)
    for number in range(10):
        await plant.declare("shelf", f"s{number}")
    found = await taken(plant, FIRST_LOOK_SECONDS)
    assert len(found) == len(set(found)) == 12
    called, after = [], ""
    turns = scheduler(plant).drive().turns
    for _ in range(3):
        roll = await turns.roll(after)
        called += [each for each in roll.present if each[0] not in service.OF_OUR_OWN]
        after = roll.after
    assert (sorted(ref for ref, _ in called), after) == (sorted(found), "")
    assert {tenant for _, tenant in called} == {"acme"}


async def test_turns_of_our_own_that_came_while_the_lease_was_away_come_again(plant: Plant) -> None:
    clock, own = [0.0], list(service.OF_OUR_OWN)
    ownership = Ownership(MemoryStore(), "scheduler", "us", lambda: clock[0])
    turns = replace(scheduler(plant), ownership=ownership).drive().turns
    assert await ownership.keep() is True
    clock[0] = LEASE_SECONDS + 1.0  # The store was away for so long.
    assert [await turns.take(turn) for turn in own] == [NEVER] * len(own)
    assert await ownership.keep() is False
    assert [ref for ref, _ in (await turns.roll("")).present if ref in own] == own


async def test_a_start_is_no_storm(plant: Plant) -> None:
    for number in range(60):
        await plant.declare("shelf", f"s{number}")
    early = len(await taken(plant, FIRST_LOOK_SECONDS / 2))
    assert 15 <= early <= 45


async def until_woken(plant: Plant, refs: set[Ref]) -> None:
    """The scheduler runs until it has heard these wakes."""
    drive = scheduler(plant).drive()
    running = asyncio.create_task(drive.run())
    await until(lambda: not refs & set(plant.wakes()))
    drive.stop()
    await running


async def test_what_is_declared_converges(plant: Plant) -> None:
    row = await plant.declare("shelf", "novels", books={"dune": 1})
    await until_woken(plant, {row.ref})
    assert plant.loop.found == {"dune": 1}
    assert (await plant.status(row.ref)).state in (State.PENDING, State.READY)


async def test_a_question_is_answered_in_a_turn(plant: Plant) -> None:
    question = PlanRow(
        id="p1", ref=Ref("plan/p1"), kind="plan", scope=Scope("acme"), name="p1", state=PlanState.ASKED
    )
    await plant.put(question, Wake(id="w1", ref=question.ref, reason="asked for"))
    await until_woken(plant, {question.ref})
    answer = await plant.store.get(PlanRow, "p1")
    assert answer is not None
    assert answer.state is PlanState.SHOWN


async def test_a_worker_goes_on_with_every_task_that_was_open(plant: Plant) -> None:
    async def turn(ref: Ref) -> float | None:
        raise AssertionError(f"nobody takes {ref} in this test")

    def task(name: str, state: TaskState, due_at: float = 0.0) -> Task:
        target = Ref(f"shelf/{name}")
        return Task(
            id=name,
            pipeline="move",
            target=target,
            key="k",
            organization=SHOP.organization,
            asked_by="ann",
            state=state,
            due_at=due_at,
        )

    await plant.put(
        task("open", TaskState.RUNNING),
        task("later", TaskState.WAITING, START + 60),
        task("old", TaskState.DONE),
    )
    ownership = Ownership(plant.store, "worker", "me", plant.runtime.now, alone=True)
    await ownership.keep()
    drive = Worker(plant.store, plant.runtime, turn, lambda event, fields: None, 1, ownership).drive()
    await drive.turns.load(drive.agenda)
    found = [drive.agenda.take(START + seconds) for seconds in (1, 1, 61)]
    acme = SHOP.organization
    assert found[0] == Due(Ref("task/open"), Lane.RESYNC, acme)
    assert found[1:] == [None, Due(Ref("task/later"), Lane.RESYNC, acme)]
    assert (drive.turns.mine(Ref("task/x")), drive.turns.mine(Ref("host/x"))) == (True, False)
    assert drive.turns.every(Ref("task/x")) is None
    roll = await drive.turns.roll("")
    assert (sorted(roll.present), roll.after) == ([("task/later", acme), ("task/open", acme)], "")
