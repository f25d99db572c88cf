"""Worker processes and a judge beside them: killed and replaced while tasks are under way."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from temporal import leash

TESTS = Path(__file__).parents[1]
Process = asyncio.subprocess.Process


@dataclass
class Crew:
    """So many workers with the same orders; the effects of all of them are in one book."""

    folder: Path
    orders: Sequence[str]
    workers: list[int] = field(default_factory=list)

    @property
    def socket(self) -> str:
        return str(self.folder / "judge")

    @property
    def book(self) -> Path:
        return self.folder / "book"

    def effects(self) -> Counter[str]:
        """How often each effect was told."""
        return Counter(self.book.read_text().splitlines()) if self.book.exists() else Counter()

    def check(self) -> None:
        """Nobody goes home by themselves."""
        if not all(alive(worker) for worker in self.workers):
            raise AssertionError((self.folder / "nursery.log").read_text()[-5000:])

    @contextlib.asynccontextmanager
    async def at_work(self, number: int) -> AsyncIterator["Crew"]:
        judge = await self._start("judge", self.socket, str(self.book))
        self._nursery = await self._start("nursery")
        try:
            for _ in range(number):
                await self._hire()
            yield self
        finally:
            for process in (self._nursery, judge):  # The workers go with the nursery.
                process.kill()
                await process.wait()

    async def kill(self) -> None:
        """The one that has worked longest, at once, as a power cut would; another takes its place."""
        worker = self.workers.pop(0)
        os.kill(worker, signal.SIGKILL)
        while alive(worker):  # noqa: ASYNC110 - the kernel offers no event for another's child
            await asyncio.sleep(0.01)
        await self._hire()

    async def _hire(self) -> None:
        runner, store, installation = self.orders
        orders, answers = self._nursery.stdin, self._nursery.stdout
        assert orders is not None
        assert answers is not None
        orders.write(json.dumps([runner, store, self.socket, installation]).encode() + b"\n")
        self.workers.append(int(await answers.readline()))

    async def _start(self, module: str, *arguments: str) -> Process:
        with (self.folder / f"{module}.log").open("ab") as written:
            return await asyncio.create_subprocess_exec(
                *leash(),
                sys.executable,
                *("-m", f"runners.{module}", *arguments),
                env={**os.environ, "PYTHONPATH": str(TESTS)},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=written,
            )


def alive(worker: int) -> bool:
    try:
        os.kill(worker, 0)
    except ProcessLookupError:
        return False
    return True
