"""The world of these tests: a fake API on a real socket, and the command line run against it."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from setpoint.cli.remote import main

from .fake import TOKEN, FakeApi


class Stream(io.StringIO):
    """A stream that is a terminal, or is not."""

    def __init__(self, text: str = "", *, terminal: bool = False) -> None:
        super().__init__(text)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Shell:
    """Runs commands in this process, in an environment of its own."""

    environment: dict[str, str]

    def __call__(self, *argv: str, stdin: str = "", terminal: bool = False, **env: str) -> Result:
        streams = [Stream(stdin, terminal=terminal), Stream(terminal=terminal), Stream(terminal=terminal)]
        code = main(
            list(argv), {**self.environment, **env}, stdin=streams[0], stdout=streams[1], stderr=streams[2]
        )
        return Result(code, streams[1].getvalue(), streams[2].getvalue())


@pytest.fixture
def api() -> Iterator[FakeApi]:
    fake = FakeApi()
    with fake.server.serving():
        yield fake


@pytest.fixture
def setpoint(api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell({"SETPOINT_URL": api.server.url, "SETPOINT_TOKEN": TOKEN})
