"""An act that a killed process left open: no run calls itself done before a look has decided it."""

from pathlib import Path

import pytest

from loop.commands import QUICK, Folder
from setpoint.cli.exits import Exit

BEFORE, AFTER = {"beta": {"on": False}}, {"beta": {"on": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def killed(folder: Folder, *terms: str) -> None:
    """A run that ends between the begin of an act and its call; then that is no longer wanted."""
    folder.world(BEFORE)
    folder.declare(AFTER, QUICK, *terms)
    folder.setpoint("run", "flags.py", "--enforce", "--once", SETPOINT_FAIL_AT="begin.after_commit:1")
    assert states(folder) == ["started"]
    folder.declare(BEFORE, QUICK, *terms)


def states(folder: Folder) -> list[object]:
    return [act["state"] for act in folder.rows("act")]


def test_it_is_followed_until_a_look_decides_it(folder: Folder) -> None:
    killed(folder, 'deadline = "0.3s"', 'observe_deadline = "60s"')
    ran = folder.said("run", "flags.py", "--enforce", "--once")
    assert ran.code == Exit.DONE
    assert states(folder) == ["failed"]
    assert folder.there == BEFORE


def test_what_no_look_can_decide_in_time_is_pending_and_not_ready(folder: Folder) -> None:
    killed(folder, 'settles_in = "10m"')
    ran = folder.said("run", "flags.py", "--enforce", "--once", "-o", "json")
    assert ran.code == Exit.PENDING
    (loop,) = ran.body["loops"]
    assert (loop["state"], loop["exit"]) == ("PENDING", Exit.PENDING)
    assert "an act on beta has no answer yet" in loop["reason"]
    assert states(folder) == ["started"]
