"""Services, each a process of its own, from its start to its first good answer."""

import atexit
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

from bench.process import ENOUGH
from bench.start.children import cpu, environment
from bench.trial import Trial

OK: Final = 200
LOOK_SECONDS: Final = 0.005


def ours_fresh(size: int) -> Trial:
    """`setpoint up` on a folder that is not there yet."""
    place = _place()
    numbers = iter(range(1_000_000))
    return _trial(lambda: ("setpoint", "up", "--data", str(place / str(next(numbers)))), size)


def ours_again(size: int) -> Trial:
    """`setpoint up` on the folder of the one before."""
    data = str(_place() / "data")
    return _trial(lambda: ("setpoint", "up", "--data", data), size)


def fastapi(size: int) -> Trial:
    import fastapi  # noqa: F401, PLC0415 - whoever has none cannot take part

    place = _place()
    numbers = iter(range(1_000_000))
    return _trial(lambda: ("bench.start.fast", "--file", str(place / str(next(numbers)))), size)


def bare(size: int) -> Trial:
    return _trial(lambda: ("bench.start.bare",), size)


def _place() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="setpoint-bench-start-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _trial(command: Callable[[], tuple[str, ...]], size: int) -> Trial:
    def run() -> list[int]:
        return [_first_answer(command()) for _ in range(size)]

    return Trial(run, lambda found: {"served": found.count(OK)}, parts=size, cpu=cpu)


def _first_answer(command: tuple[str, ...]) -> int:
    """Its status. The service is killed at once: what it would do later is not its start."""
    port = _free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own modules
            [sys.executable, "-m", *command, "--port", str(port)], stdout=log, stderr=log, env=environment()
        )
        try:
            deadline = time.monotonic() + ENOUGH
            while time.monotonic() < deadline and process.poll() is None:
                if (status := _asked(port)) is not None:
                    return status
                time.sleep(LOOK_SECONDS)
            log.seek(0)
            raise RuntimeError(f"{command} never answered: {log.read().decode()[-2000:]}")
        finally:
            process.kill()
            process.wait()


def _asked(port: int) -> int | None:
    """Nothing as long as nobody listens."""
    connection = HTTPConnection("127.0.0.1", port, timeout=ENOUGH)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
