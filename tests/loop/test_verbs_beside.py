"""A second terminal while the first runs: approve, pause, ask why; as real processes."""

import signal
import time
from pathlib import Path

import pytest

from loop.commands import QUICK, Folder

ON = {"on": True}
WANTED = {f"flag-{number}": ON for number in range(6)}
FEW = {"flag-0": ON}
SLOW = """\
import asyncio
from setpoint.loop import Keyed

class Slow(Keyed):
    every = "1s"
    at_once = 8
    there = {}

    async def desired(self): return {f"key-{number:04}": {"on": True} for number in range(1000)}
    async def observe(self): return dict(self.there)
    async def delete(self, key): self.there.pop(key, None)

    async def put(self, key, value):
        await asyncio.sleep(0.2)
        self.there[key] = value
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def held(folder: Folder) -> list[dict[str, object]]:
    return [plan for plan in folder.rows("plan") if plan["state"] == "held"]


def looked_at(folder: Folder) -> None:
    """As wanted, and long enough that deletes are no longer on probation."""
    folder.declare(WANTED, QUICK, 'every = "1s"')
    folder.world(WANTED)
    for _ in range(3):
        assert folder.said("run", "flags.py", "--enforce", "--once").code == 0
    folder.remember_longer()


def test_an_approval_from_a_second_process_releases_exactly_that_set(folder: Folder) -> None:
    looked_at(folder)
    folder.declare(FEW, QUICK, 'every = "1s"')
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: held(folder))
        assert folder.there == WANTED
        said = folder.setpoint("approve", "flags.py", "--reason", "retired", "--yes")
        assert said.code == 0
        assert all(f"  - {key}\n" in said.err for key in WANTED if key not in FEW)
        run.until(lambda: folder.there == FEW)
        assert run.terminate() == 0
    deleted = [act["item"] for act in folder.rows("act") if act["verb"] == "delete"]
    assert sorted(deleted) == sorted(WANTED.keys() - FEW.keys())
    (approved,) = folder.rows("approval")
    assert ", owner of flags.py" in approved["approver"]
    lines = [line for line in folder.rows("audit") if line["action"] == "plan.approved"]
    assert [(line["actor"], line["detail"]["reason"]) for line in lines] == [
        (approved["approver"], "retired")
    ]


def test_a_plan_that_grew_by_one_delete_asks_again(folder: Folder) -> None:
    looked_at(folder)
    folder.declare({**FEW, "flag-1": ON}, QUICK)
    assert folder.said("run", "flags.py", "--enforce", "--once").code == 4
    assert folder.said("approve", "flags.py", "--reason", "retired", "--yes").code == 0
    folder.declare(FEW, QUICK)
    assert folder.said("run", "flags.py", "--enforce", "--once").code == 4
    assert folder.there == WANTED
    # And what was approved before is not approved any more, for the plan of then was another one.
    assert len(held(folder)) == 1
    assert folder.said("approve", "flags.py", "--reason", "those too", "--yes").code == 0
    assert folder.said("run", "flags.py", "--enforce", "--once").code == 0
    assert folder.there == FEW


def test_no_act_begins_after_a_pause_has_returned(folder: Folder) -> None:
    folder.write("flags.py", SLOW)
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: len(folder.rows("act")) > 40)
        said = folder.setpoint("pause", "flags.py", "--all", "--reason", "something is off")
        returned, begun = time.time(), {act["id"] for act in folder.rows("act")}
        assert said.code == 0
        time.sleep(3)
        acts = folder.rows("act")
        assert {act["id"] for act in acts} == begun
        assert all(act["began_at"] <= returned for act in acts)
        assert len(acts) < 1000
        (switch,) = folder.rows("switch")
        assert (switch["key"], switch["mode"], switch["reason"]) == ("all", "stop", "something is off")
        assert all(act["state"] == "done" for act in acts)  # what was under way was finished
        assert folder.setpoint("resume", "flags.py").code == 0
        run.until(lambda: len(folder.rows("act")) > len(begun))


def test_one_process_runs_a_file_and_a_second_is_told_so(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({})
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: folder.there == WANTED)
        second = folder.setpoint("run", "flags.py", "--enforce", "--once")
        assert second.code == 6
        assert "flags.py is run by another process already" in second.err
        assert f"(pid {run.process.pid})" in second.err
        run.until(lambda: "READY" in run.said)
        assert folder.setpoint("plan", "flags.py").code == 0
        why = folder.setpoint("why", "flags.py")
        assert (why.code, "Flags is READY" in why.out) == (0, True)


def test_a_watched_file_is_put_back_at_once(folder: Folder) -> None:
    folder.declare(WANTED, 'every = "1h"')
    folder.world(WANTED)
    with folder.running("flags.py", "--enforce", "--watch", "flags.json") as run:
        run.until(lambda: "READY" in run.said)
        folder.world(WANTED | {"flag-3": {"on": False}})
        run.until(lambda: folder.there == WANTED)


def test_ctrl_c_lets_the_act_under_way_finish_and_exits_130(folder: Folder) -> None:
    folder.write("flags.py", SLOW)
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: len(folder.rows("act")) > 10)
        assert run.interrupt() == 130
        assert "stopping: the act under way is finished, nothing more is begun" in run.said
    acts = folder.rows("act")
    assert len(acts) < 1000
    assert {act["state"] for act in acts} == {"done"}


def test_a_second_ctrl_c_leaves_at_once_and_the_next_run_looks_before_it_acts(folder: Folder) -> None:
    folder.write("flags.py", SLOW.replace("sleep(0.2)", "sleep(3600)"))
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: folder.rows("act"))
        run.process.send_signal(signal.SIGINT)
        run.until(lambda: "stopping" in run.said)
        assert run.interrupt() == 130  # An hour before the act would have ended.
    assert [act["state"] for act in folder.rows("act")] == ["started"]
    again = folder.setpoint("plan", "flags.py")
    assert "an act on key-0000 has no visible effect yet; looking before acting again" in again.out


def test_progress_has_a_time_a_loop_a_word_and_no_control_characters(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({})
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: "READY" in run.said)
        assert run.terminate() == 0
        said = run.said
    assert all(char.isprintable() or char == "\n" for char in said)
    line = next(line for line in said.splitlines() if "create flag-0" in line)
    moment, loop, word = line.split()[:3]
    assert (len(moment), loop, word) == (len("2026-01-01T00:00:00+00:00"), "Flags", "done")
