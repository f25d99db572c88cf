"""Whole control planes in a thread of their own, and the command line run against them."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foreign import overheard
from harness import TOKEN, keep_secret, quick
from setpoint.up import Running, running

from .conftest import Shell


class Plane:
    """One that runs, and a shell that talks to it. No dataclass: that would be printed with all it holds."""

    def __init__(self, run: Running, setpoint: Shell) -> None:
        self.run, self.setpoint = run, setpoint

    def __repr__(self) -> str:
        return f"Plane({self.run.url})"


class _Thread(threading.Thread):
    """Runs one control plane until it is told that it is over."""

    def __init__(self, data: Path, settings: dict[str, Any]) -> None:
        super().__init__()
        self.data, self.settings = data, settings
        self.started, self.over = threading.Event(), threading.Event()
        self.found: Plane | None = None
        self.failed: BaseException | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - told to whoever waits
            self.failed = error
        finally:
            self.started.set()

    async def _serve(self) -> None:
        keep_secret(self.data, "hetzner", TOKEN)
        keep_secret(self.data, "hooks", TOKEN)
        async with running(quick(self.data, **self.settings)) as run, overheard(run):
            environment = {
                "SETPOINT_URL": run.url,
                "SETPOINT_TOKEN": run.token,
                "SETPOINT_ORGANIZATION": "acme",
            }
            self.found = Plane(run, Shell(environment))
            self.started.set()
            await asyncio.to_thread(self.over.wait)


@contextlib.contextmanager
def plane(data: Path, **settings: Any) -> Iterator[Plane]:
    """The real application, over a real socket, in this process."""
    thread = _Thread(data, settings)
    thread.start()
    thread.started.wait()
    try:
        assert thread.found, thread.failed
        yield thread.found
    finally:
        thread.over.set()
        thread.join()
    assert not thread.failed, thread.failed
