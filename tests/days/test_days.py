"""Ordinary work gets through: an operator's day that is written down, and generated ones.

`SETPOINT_DAYS=20 pytest tests/days` for more of them; `make days DAYS=200` on all cores.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from days.oracle import deletes_per_hour, deletes_per_pass
from days.script import DAY, WORK_ENDS, generated, written
from simulation.fresh import fresh

TESTS = Path(__file__).parent.parent
DAYS = int(os.environ.get("SETPOINT_DAYS", "1"))
FIRST = int(os.environ.get("SETPOINT_FIRST_SEED", "0")) or fresh()
EVERYTHING = {
    "toggle", "rename", "banner added", "banner removed", "release", "release rolled back", "scale", "grow",
    "planned shrink", "vendor outage", "restart", "delete by name", "alias", "misread file", "tidy up",
}  # fmt: skip


def told(*arguments: str) -> str:
    """What was said of these days, in a process of its own: a day must not depend on who plays it."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "days", "--jobs", "1", *arguments]
    run = subprocess.run(  # noqa: S603 - our own command
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.timeout(600)
@pytest.mark.parametrize("where", ["loop", "platform"])
def test_an_operators_day_is_held_only_where_the_table_of_limits_asks_for_it(where: str) -> None:
    said = told("--on", where)
    assert "0 false holds, 0 missed, 0 days not reached" in said
    assert "shrunken_intent" in said  # The planned shrink was held, and approved.


@pytest.mark.timeout(600)
@pytest.mark.parametrize("where", ["loop", "platform"])
def test_fifty_toggles_of_a_value_and_fifty_adds_and_removes_of_a_key_are_never_held(where: str) -> None:
    said = told("--restless", "--on", where)
    assert re.search(r": \d{3} plans made, 0 held\n", said)
    assert "0 missed, 0 days not reached" in said
    assert "50 toggle, 50 banner removed" in said


@pytest.mark.timeout(600)
def test_generated_days_on_a_loop_file_have_no_false_holds() -> None:
    told("--on", "loop", "--days", str(20 * DAYS), "--first", str(FIRST))


@pytest.mark.timeout(1200)
def test_generated_days_on_the_platform_have_no_false_holds() -> None:
    told("--on", "platform", "--days", str(DAYS), "--first", str(FIRST))


def test_the_written_day_has_everything_that_people_do() -> None:
    done = {step.why.partition(" ")[0] if step.size else step.why for step in written().steps}
    assert done >= EVERYTHING
    assert max(step.at for step in written().steps) < WORK_ENDS


@given(st.integers(0, 2**32))
def test_a_generated_day_ends_in_time_and_is_the_same_again(seed: int) -> None:
    day = generated(seed)
    assert day.ordered == generated(seed).ordered
    assert all(0 <= step.at < DAY - 60 * 60 for step in day.ordered)
    assert day.ordered[-1].at == max(step.at for step in day.steps)


def test_the_table_of_limits_is_as_it_was_agreed() -> None:
    sizes = (1, 2, 3, 4, 5, 6, 10, 11, 19, 20, 40, 50, 100, 1000)
    assert [deletes_per_pass(size) for size in sizes] == [1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 5, 10, 10]
    assert [deletes_per_hour(size) for size in sizes] == [1, 1, 2, 2, 3, 3, 5, 6, 6, 6, 8, 10, 20, 20]
