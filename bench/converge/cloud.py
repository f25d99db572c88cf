"""The simulated cloud all of them work on, in a process of its own, with a new empty zone for each run."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

TOKEN: Final = "for-the-bench"  # noqa: S105 - opens nothing but this simulator
ADDRESS: Final = "192.0.2.1"
TTL: Final = 300
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
    """One `setpoint …`; ended with whoever started it."""

    arguments: tuple[str, ...]
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="setpoint-bench-")))
    running: subprocess.Popen[bytes] = field(init=False)
    ready: AnyJson = None

    def __post_init__(self) -> None:
        file = self.folder / "ready"
        with (self.folder / "log").open("ab") as log:
            self.running = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                [sys.executable, "-m", "setpoint", *self.arguments, "--ready-file", str(file)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        atexit.register(self.close)
        wait_for(lambda: file.exists() or self.running.poll() is not None, "ready")
        if not file.exists():
            raise RuntimeError((self.folder / "log").read_text())
        self.ready = json.loads(file.read_text())

    @property
    def cpu(self) -> float:
        """Seconds so far, all its threads together."""
        fields = Path(f"/proc/{self.running.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """A second time does nothing."""
        self.running.kill()
        self.running.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Cloud:
    """The simulator, and what stands there."""

    def __init__(self) -> None:
        options = ("--token", TOKEN, "--action-seconds", "0", "--max-agents", "0", "--port", "0")
        self.process = Process(("sim", "hetzner", *options))
        self.url = str(self.process.ready["url"]).removesuffix("/v1")
        self.caller = Caller(self.url, TOKEN)

    def made_zone(self, name: str) -> None:
        self.caller.call("POST", "/v1/zones", {"name": name, "mode": "primary"})

    def number(self, zone: str) -> int:
        """How many records it has, the provider's own two left out."""
        said = self.caller.call("GET", f"/v1/zones/{zone}/rrsets?per_page=1")
        return int(said["meta"]["pagination"]["total_entries"]) - 2

    def right(self, zone: str) -> int:
        """How many are there as they should be."""
        return sum(
            rrset["ttl"] == TTL and [each["value"] for each in rrset["records"]] == [ADDRESS]
            for rrset in self.rrsets(zone)
            if rrset["type"] == "A"
        )

    def rrsets(self, zone: str) -> Iterator[AnyJson]:
        page: int | None = 1
        while page is not None:
            said = self.caller.call("GET", f"/v1/zones/{zone}/rrsets?per_page=50&page={page}")
            yield from said["rrsets"]
            page = said["meta"]["pagination"]["next_page"]

    def until(self, zone: str, number: int) -> None:
        wait_for(lambda: self.number(zone) >= number, f"{number} records in {zone}")

    def close(self) -> None:
        self.caller.close()
        self.process.close()


def posted(name: str) -> AnyJson:
    """One record, as this API wants it."""
    return {"name": name, "type": "A", "ttl": TTL, "records": [{"value": ADDRESS}]}


def wait_for(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 2 * ENOUGH
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {2 * ENOUGH:.0f} s in vain for {what}")
        time.sleep(LOOK_SECONDS)
