"""A loop file in a folder of its own, and the commands on it as real processes."""

import contextlib
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setpoint.loop.commands.command import Streams, main

ENOUGH = 90.0
FLAGS = '''\
# flags.py: 20 lines, guarded
import json
from pathlib import Path
from setpoint.loop import Keyed, serve

FILE = Path("flags.json")
WANTED = {wanted}

class Flags(Keyed):
    """Feature flags in a file are exactly the flags declared here."""
    every = "30s"{limits}

    async def desired(self): return WANTED
    async def observe(self): return json.loads(FILE.read_text())
    async def put(self, key, value): self.save({{**await self.observe(), key: value}})
    async def delete(self, key): self.save({{k: v for k, v in (await self.observe()).items() if k != key}})

    def save(self, flags): FILE.write_text(json.dumps(flags, indent=1))

if __name__ == "__main__":
    serve(Flags())
'''
QUICK = "probation_gap = 0.01"
"""Two complete looks need not be five seconds apart."""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def body(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Folder:
    """Where the file is, and what it holds at its setpoint."""

    path: Path

    def declare(self, wanted: Mapping[str, Any], *limits: str) -> None:
        lines = "".join(f"\n    {limit}" for limit in limits)
        self.write("flags.py", FLAGS.format(wanted=repr(dict(wanted)), limits=lines))

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)

    def world(self, flags: Mapping[str, Any]) -> None:
        # Whole or not at all: a running loop reads it at any moment.
        draft = self.path / "flags.json.draft"
        draft.write_text(json.dumps(dict(flags)))
        draft.replace(self.path / "flags.json")

    @property
    def there(self) -> dict[str, Any]:
        while True:
            # The loop of the README writes in place: for a moment there is nothing in the file.
            with contextlib.suppress(ValueError):
                found: dict[str, Any] = json.loads((self.path / "flags.json").read_text())
                return found

    def said(self, *words: str, **environment: str) -> Ran:
        """`setpoint …` in this very process: for everything that a second process has no part in."""
        streams = Streams(io.StringIO(), io.StringIO(), io.StringIO())
        with contextlib.chdir(self.path):
            code = main(words, environment, streams)
        return Ran(code, streams.stdout.getvalue(), streams.stderr.getvalue())  # type: ignore[attr-defined]

    def setpoint(self, *words: str, **environment: str) -> Ran:
        """`setpoint …` as a process of its own, to its end."""
        return self._ran([sys.executable, "-m", "setpoint", *words], environment)

    def python(self, *words: str, **environment: str) -> Ran:
        """`python …`, to its end."""
        return self._ran([sys.executable, *words], environment)

    def _ran(self, command: list[str], environment: Mapping[str, str]) -> Ran:
        env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
        done = subprocess.run(  # noqa: S603 - our own words
            command,
            cwd=self.path,
            env=env | dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ENOUGH,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    @contextlib.contextmanager
    def running(self, *words: str) -> Iterator["Running"]:
        """`setpoint run …` until the end of the block; killed there if it still runs."""
        output = self.path / "run.log"
        with output.open("wb") as written:
            process = subprocess.Popen(  # noqa: S603 - our own words
                [sys.executable, "-m", "setpoint", "run", *words],
                cwd=self.path,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
            )
        try:
            yield Running(process, output)
        finally:
            process.kill()
            process.wait()

    def remember_longer(self) -> None:
        """As if the loops had been run for more than an hour, under the limits that they have."""
        path = self.path / ".setpoint" / "flags" / "setpoint.db"
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            longer = "json_set(CAST(body AS TEXT), '$.since', 1.0, '$.former', json('[]'))"
            database.execute(f"UPDATE ledger SET body = CAST({longer} AS BLOB)")  # noqa: S608 - our own words

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The bodies of one table, as they are on disk; none before there is one."""
        path = self.path / ".setpoint" / "flags" / "setpoint.db"
        try:
            with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as database:
                found = database.execute(f"SELECT body FROM {table}")  # noqa: S608 - our own word
                return [json.loads(body) for (body,) in found]
        except sqlite3.OperationalError:
            return []


@dataclass(frozen=True)
class Running:
    """A run under way."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def said(self) -> str:
        return self.output.read_text()

    def interrupt(self) -> int:
        """Ctrl-C, and how it ended."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(ENOUGH)

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ENOUGH)

    def until(self, true: Callable[[], object]) -> None:
        """Waits until it is so, as long as the process lives."""
        deadline = time.monotonic() + ENOUGH
        while not true():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"never so, exit {self.process.poll()}\n{self.said}")
            time.sleep(0.02)
