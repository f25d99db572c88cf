"""`await setpoint.loop.run(…)` inside somebody's own program: it works, tells, and ends without a trace."""

import asyncio
import contextlib
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from setpoint.engine.entity import Status
from setpoint.engine.rows import Act, ActState
from setpoint.engine.store import ACTS_PAGE
from setpoint.loop import Denied, Rejected, run
from setpoint.loop.embedding import LoopEvent
from setpoint.loop.station import looking
from waiting import until

from .things import Shelf


class Quick(Shelf):
    every = "1s"


class Busy(Quick):
    """Puts that wait until they may go on; a plain one, so on a thread."""

    def __init__(self, wanted: dict[str, Any], found: dict[str, Any]) -> None:
        super().__init__(wanted, found)
        self.begun, self.may_go = threading.Event(), threading.Event()

    def put(self, key: str, value: Any) -> None:  # type: ignore[override]
        self.begun.set()
        self.may_go.wait(60)
        self.found[key] = value


async def acts(loop: Shelf, folder: Path) -> list[Act]:
    async with looking([loop], folder, reads_only=True) as station:
        return list(await station.store.read(ACTS_PAGE, domain=station.ref(loop.name()), after="", limit=50))


async def test_once_makes_it_so_and_says_how_it_stands(tmp_path: Path) -> None:
    loop = Quick({"a": 1, "b": 2}, {})
    found = await run(loop, folder=tmp_path / "state", enforce=True, once=True)
    assert loop.found == {"a": 1, "b": 2}
    assert isinstance(found["Quick"], Status)
    assert (found["Quick"].state, found["Quick"].reason) == ("READY", "2 in step")


async def test_without_enforce_nothing_is_changed(tmp_path: Path) -> None:
    loop = Quick({"a": 1}, {})
    await run(loop, folder=tmp_path / "state", once=True)
    assert loop.found == {}


async def test_it_holds_until_it_is_cancelled_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
    threads = {*threading.enumerate()}
    loop, folder = Quick({"a": 1}, {}), tmp_path / "state"
    task = asyncio.create_task(run(loop, folder=folder, enforce=True))
    await until(lambda: loop.found == {"a": 1})
    loop.found["a"] = 7
    await until(lambda: loop.found == {"a": 1})
    with pytest.raises(Denied):
        await run(loop, folder=folder, enforce=True, once=True)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}
    # Those of the event loop's own executor stay as long as that does.
    await until(lambda: all(each.name.startswith("asyncio_") for each in {*threading.enumerate()} - threads))
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert (await run(loop, folder=folder, enforce=True, once=True))["Quick"].state == "READY"


async def test_a_cancel_lets_the_act_under_way_finish_and_begins_no_other(tmp_path: Path) -> None:
    loop, folder = Busy({"a": 1, "b": 2}, {}), tmp_path / "state"
    task = asyncio.create_task(run(loop, folder=folder, enforce=True))
    await until(loop.begun.is_set)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    loop.may_go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [(act.item, act.state) for act in await acts(loop, folder)] == [("a", ActState.DONE)]
    assert loop.found == {"a": 1}


async def test_a_second_cancel_does_not_wait_and_the_act_stays_on_record(tmp_path: Path) -> None:
    loop, folder = Busy({"a": 1}, {}), tmp_path / "state"
    task = asyncio.create_task(run(loop, folder=folder, enforce=True))
    await until(loop.begun.is_set)
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [act.open for act in await acts(loop, folder)] == [True]
    loop.may_go.set()


async def test_events_are_handed_on_and_a_listener_that_fails_stops_nothing(tmp_path: Path) -> None:
    heard: list[LoopEvent] = []

    async def listen(event: LoopEvent) -> None:
        heard.append(event)
        raise ValueError("no")

    loop = Quick({"a": 1}, {})
    await run(loop, folder=tmp_path / "state", enforce=True, once=True, on_event=listen)
    assert ("Quick", "act.done", "create a") in [(each.loop, each.type, each.message) for each in heard]
    assert heard[-1].type == "entity.state_changed"


async def test_it_works_in_a_task_group_beside_other_work(tmp_path: Path) -> None:
    loop = Quick({"a": 1}, {})
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(60) as soon, asyncio.TaskGroup() as group:
            group.create_task(run(loop, folder=tmp_path / "state", enforce=True))
            await until(lambda: loop.found == {"a": 1})
            soon.reschedule(asyncio.get_running_loop().time())
            await asyncio.sleep(60)
    assert loop.found == {"a": 1}


async def test_what_is_wrong_is_refused_before_anything_begins(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="no loop"):
        await run(folder=tmp_path)
    with pytest.raises(Rejected, match="has no host"):
        await run(Quick({}, {}), folder=tmp_path / "state", notify="http:///x")
    assert not (tmp_path / "state").exists()
