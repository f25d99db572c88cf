"""`import setpoint.loop` costs little, loads msgspec and the standard library only, and begins nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

import setpoint.loop

from .things import SAMPLES

ROOT = SAMPLES.parent.parent.parent
BAR_SECONDS = 0.06  # Of CPU, above bare Python, on a machine that does nothing else.
BUSY = 3.0  # How much slower a machine may be that does.
ALLOWED = {"msgspec", "setpoint", "typing_extensions"}  # The last is msgspec's own wish.
OURS = {"setpoint", "setpoint.engine", "setpoint.loop", "setpoint.loop.keyed"} | {
    f"setpoint.engine.{name}" for name in ("entity", "errors", "limits", "plan")
}

LISTED = """
import sys, time, _thread
before, began = set(sys.modules), time.process_time()
import setpoint.loop
spent = time.process_time() - began
print(spent, _thread._count(), *sorted(set(sys.modules) - before))
"""


def listed() -> tuple[float, int, list[str]]:
    ended = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)  # noqa: S603
    spent, threads, *modules = ended.stdout.split()
    return float(spent), int(threads), modules


def test_it_loads_msgspec_and_the_standard_library_only() -> None:
    _, threads, modules = listed()
    outside = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - ALLOWED
    assert outside == set()
    assert {name for name in modules if name.startswith("setpoint")} == OURS
    assert not {"asyncio", "sqlite3", "socket", "ssl", "http", "threading"} & set(modules)
    assert threads == 0  # Besides the first.


def test_it_costs_little() -> None:
    assert min(listed()[0] for _ in range(3)) < BAR_SECONDS * BUSY


@pytest.mark.parametrize("name", setpoint.loop.__all__)
def test_everything_it_promises_is_there(name: str) -> None:
    assert callable(getattr(setpoint.loop, name)) or name in ("ABSENT", "UNKNOWN")


def test_what_it_does_not_promise_is_not() -> None:
    with pytest.raises(AttributeError, match=r"module 'setpoint.loop' has no attribute 'keyd'"):
        _ = setpoint.loop.keyd


def test_its_users_get_types() -> None:
    assert (Path(setpoint.__file__).parent / "py.typed").exists()
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(SAMPLES / "flags.py")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603
    assert ended.stdout == "Success: no issues found in 1 source file\n"
