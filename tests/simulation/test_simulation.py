"""Worlds with replicas, people and a hostile cloud, those that failed once, and bugs that must be found.

`SETPOINT_SEEDS=3000 pytest tests/simulation` for more of them; `make simulate SEEDS=10000` on all cores.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulation.fresh import fresh
from simulation.planted import BUGS

TESTS = Path(__file__).parent.parent
CHUNKS = 5
SEEDS = int(os.environ.get("SETPOINT_SEEDS", "50")) // CHUNKS
FIRST = int(os.environ.get("SETPOINT_FIRST_SEED", "0")) or fresh()


def played(*arguments: str, module: str = "simulation") -> None:
    """In a process of its own: what a world is must not depend on who plays it."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", module, "--jobs", "1", *arguments]
    run = subprocess.run(  # noqa: S603 - our own command
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_world_ends_in_a_violation(chunk: int) -> None:
    played("--no-kept", "--seeds", str(SEEDS), "--first", str(FIRST + chunk * SEEDS))


@pytest.mark.timeout(1200)
def test_no_world_that_failed_once_fails_again() -> None:
    played("--seeds", "0")


@pytest.mark.timeout(1200)
def test_the_same_seed_is_the_same_world() -> None:
    played("--no-kept", "--seeds", "10", "--first", str(FIRST), "--twice")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    played("--replay", "--seeds", "300", bug, module="simulation.hunt")
