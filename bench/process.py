"""Servers that a contestant talks to, each a process of its own, and a caller that keeps its connection."""

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

ENOUGH: Final = 60.0
LOOK_SECONDS: Final = 0.02

AnyJson = Any


class Caller:
    """JSON over one connection that is kept."""

    def __init__(self, url: str, token: str) -> None:
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=ENOUGH)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: AnyJson = None) -> AnyJson:
        sent = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, path, sent, self._headers)
            answer = self._connection.getresponse()
        except (RemoteDisconnected, BrokenPipeError):  # It was idle for too long.
            self._connection.close()
            self._connection.request(method, path, sent, self._headers)
            answer = self._connection.getresponse()
        said = json.loads(answer.read() or b"null")
        if answer.status >= 300:  # noqa: PLR2004
            raise RuntimeError(f"{method} {path}: {answer.status} {said}")
        return said

    def close(self) -> None:
        self._connection.close()


@dataclass(slots=True)
class Process:
    """One `setpoint …`, or another module that says in a file where it is; ended with whoever started it."""

    arguments: tuple[str, ...]
    module: str = "setpoint"
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="setpoint-bench-")))
    running: subprocess.Popen[bytes] = field(init=False)
    ready: AnyJson = None

    def __post_init__(self) -> None:
        file = self.folder / "ready"
        with (self.folder / "log").open("ab") as log:
            self.running = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                [sys.executable, "-m", self.module, *self.arguments, "--ready-file", str(file)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        atexit.register(self.close)
        wait_for(lambda: _written(file) or self.running.poll() is not None, "ready")
        if not _written(file):
            raise RuntimeError((self.folder / "log").read_text())
        self.ready = json.loads(file.read_text())

    @property
    def cpu(self) -> float:
        """Seconds so far, all its threads together, to the nanosecond: /proc counts in hundredths."""
        return time.clock_gettime((~self.running.pid << 3) | 2)  # As clock_getcpuclockid() makes it.

    def close(self) -> None:
        """A second time does nothing."""
        self.running.kill()
        self.running.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _written(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def wait_for(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 2 * ENOUGH
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {2 * ENOUGH:.0f} s in vain for {what}")
        time.sleep(LOOK_SECONDS)
