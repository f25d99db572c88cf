"""One shell in one folder, as somebody at a terminal has it: what is typed, what is shown, the exit code."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ENOUGH = 90.0
PATIENCE = 15.0
MARK = "\x1e"


@dataclass(frozen=True)
class Shown:
    """What a command printed, and how it ended."""

    text: str
    code: int


@dataclass
class Shell:
    """Commands run one after another; `cd` and `export` last until the end."""

    process: subprocess.Popen[bytes]
    log: Path
    """Where what runs in the background writes; each command its own file, `log.0`, `log.1` …"""
    started: int = 0

    def run(self, command: str) -> Shown:
        """The command to its end."""
        return self._typed(f"{{ {command}\n}} </dev/null")

    def start(self, command: str) -> Path:
        """A command that ends in `&`: it goes on by itself; this is where it writes."""
        log = self.log.with_suffix(f".{self.started}")
        self.started += 1
        assert self._typed(f"{{ {command}\n}} </dev/null >{log} 2>&1").code == 0
        return log

    @property
    def folder(self) -> Path:
        return Path(self._typed("pwd").text.strip())

    def _typed(self, words: str) -> Shown:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{words}\nprintf '{MARK}%d{MARK}' $?\n".encode())
        self.process.stdin.flush()
        text = self._read()
        shown, code, _ = text.split(MARK)
        return Shown(shown, int(code))

    def _read(self) -> str:
        assert self.process.stdout is not None
        found, until = b"", time.monotonic() + ENOUGH
        while found.count(MARK.encode()) < 2:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert piece, f"no end after {ENOUGH:g} s, or the shell is gone; shown so far: {found.decode()}"
            found += piece
        return found.decode()


@contextlib.contextmanager
def opened(folder: Path, environment: Mapping[str, str], log: Path) -> Iterator[Shell]:
    """A shell of its own session: at the end everything that was started in it is ended too."""
    process = subprocess.Popen(
        ["/bin/bash", "--noprofile", "--norc"],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield Shell(process, log)
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Politely first: a demo removes its folder, a control plane ends its agents."""
    try:
        process.communicate(b"kill $(jobs -p) 2>/dev/null; wait; exit\n", timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
