"""Setpoint as real processes: started, asked, killed and started again."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import ENOUGH, TOKEN, Plane, client, keep_secret
from setpoint.sim.hetzner import Effect
from stranger import Stranger

QUICK = {
    "SETPOINT_HEARTBEAT_SECONDS": "0.5",
    "SETPOINT_PRIVATE_NETWORKS": "127.0.0.0/8,::1/128",
    "SETPOINT_PROVIDER_NETWORKS": "127.0.0.0/8,::1/128",
    "SETPOINT_SETTLE_SECONDS": "1",
    "SETPOINT_CALL_SECONDS": "2",
    "SETPOINT_PARK_SECONDS": "60",
    "SETPOINT_INVENTORY_SECONDS": "0.2",
    "SETPOINT_LIMITS": "probation_gap=0.3",
    "SETPOINT_INTERVALS": "host=1,dns_zone=1,scaling_group=1,workspace=1,provider=2",
}


@dataclass(frozen=True)
class Process:
    """One run of a command. It writes a file when it is ready."""

    process: asyncio.subprocess.Process
    ready_file: Path
    output: Path

    async def ready(self) -> dict[str, Any]:
        """What it says when it is ready; an error with its output if it never is."""
        deadline = time.monotonic() + ENOUGH
        while not self.ready_file.exists():
            if self.process.returncode is not None or time.monotonic() > deadline:
                raise AssertionError(f"not ready, exit {self.process.returncode}\n{self.output.read_text()}")
            await asyncio.sleep(0.01)
        return json.loads(self.ready_file.read_text())  # type: ignore[no-any-return]

    async def kill(self) -> None:
        """At once, as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    async def ended(self) -> int:
        async with asyncio.timeout(ENOUGH):
            return await self.process.wait()


@dataclass(frozen=True)
class SimProcess:
    """A simulated cloud in a process of its own, and the log it leaves on disk."""

    url: str
    log: Path

    def effects(self, verb: str, resource: str) -> list[Effect]:
        lines = self.log.read_bytes().splitlines() if self.log.exists() else []
        found = (json.loads(line) for line in lines)
        return [Effect(**one) for one in found if (one["verb"], one["resource"]) == (verb, resource)]


async def start(folder: Path, arguments: Sequence[str], env: Mapping[str, str] | None = None) -> Process:
    """`setpoint …` with a ready file; its output is kept beside it."""
    ready_file, output = folder / f"{arguments[0]}.ready", folder / f"{arguments[0]}.log"
    ready_file.unlink(missing_ok=True)
    with output.open("ab") as written:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "setpoint",
            *arguments,
            "--ready-file",
            str(ready_file),
            env={**os.environ, **QUICK, **(env or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=written,
            stderr=written,
        )
    return Process(process, ready_file, output)


async def start_up(folder: Path, port: int, **env: str) -> Process:
    """The control plane, always at the same address and on the same database."""
    data = folder / "data"
    keep_secret(data, "hetzner", TOKEN)
    return await start(folder, ["up", "--data", str(data), "--port", str(port)], env)


@contextlib.asynccontextmanager
async def reached(folder: Path, process: Process, *, alone: bool = False) -> AsyncIterator[Plane]:
    """A client of a control plane that is ready; a stranger is there too, unless it is to be `alone`."""
    ready, stranger = await process.ready(), Stranger.of(folder)
    async with client(ready["url"], ready["token"], stranger.tracing()) as session:
        if not alone:
            await stranger.settle(session, ready["url"])
        yield Plane(ready["url"], folder / "data", session)
        await stranger.overheard(session, [ready["url"]], folder)


@contextlib.asynccontextmanager
async def sim_process(folder: Path, *, action_seconds: float = 0.05) -> AsyncIterator[SimProcess]:
    log = folder / "effects.jsonl"
    options = ["--token", TOKEN, "--log-file", str(log), "--max-agents", "0"]
    process = await start(folder, ["sim", "hetzner", *options, "--action-seconds", str(action_seconds)])
    try:
        yield SimProcess((await process.ready())["url"], log)
    finally:
        await process.kill()


def free_port() -> int:
    """A port nobody listens on at the moment."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
