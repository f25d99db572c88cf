"""`import setpoint.loop` loads msgspec and the standard library only, and begins nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

import setpoint.loop

from .things import SAMPLES

ROOT = SAMPLES.parent.parent.parent
ALLOWED = {"msgspec", "setpoint", "typing_extensions"}  # The last is msgspec's own wish.
OURS = {"setpoint", "setpoint.engine", "setpoint.loop", "setpoint.loop.keyed"} | {
    f"setpoint.engine.{name}" for name in ("entity", "errors", "limits", "plan")
}

LISTED = """
import sys, _thread
before = set(sys.modules)
import setpoint.loop
print(_thread._count(), *sorted(set(sys.modules) - before))
"""


def test_it_loads_msgspec_and_the_standard_library_only() -> None:
    ended = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)  # noqa: S603
    threads, *modules = ended.stdout.split()
    outside = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - ALLOWED
    assert outside == set()
    assert {name for name in modules if name.startswith("setpoint")} == OURS
    assert not {"asyncio", "sqlite3", "socket", "ssl", "http", "threading"} & set(modules)
    assert threads == "0"  # Besides the first.


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
