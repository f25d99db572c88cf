"""The processes that servers boot into: user data that begins with `#!` runs on this machine, for real."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

_SCRIPT = "user-data"
_OUTPUT = "output.log"


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """What can be seen of a server's process from outside."""

    server: str
    folder: str
    pid: int | None
    alive: bool


class _Machine:
    """The folder and the process of one server; one thing at a time happens to it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.turn = asyncio.Lock()
        self.process: asyncio.subprocess.Process | None = None

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.returncode is None


class Agents:
    """Starts and stops the processes of servers, never more than the limit."""

    def __init__(self, limit: int, grace_seconds: float) -> None:
        self._limit = limit
        self._grace = grace_seconds
        self._machines: dict[int, _Machine] = {}
        self._root: Path | None = None

    async def boot(self, server_id: int, name: str, user_data: str) -> None:
        """Starts the process of a server, in the folder it had before if it had one."""
        if not user_data.startswith("#!"):
            return
        machine = self._machines.get(server_id)
        if machine is None:
            if len(self._machines) >= self._limit:
                return
            machine = self._machines[server_id] = self._furnished(server_id, name, user_data)
        async with machine.turn:
            # It may have been removed while this waited for its turn.
            if self._machines.get(server_id) is machine and not machine.alive:
                machine.process = await _started(machine)

    async def halt(self, server_id: int) -> None:
        """Ends the process of a server and all that it started: asked first, killed after the grace."""
        machine = self._machines.get(server_id)
        if machine is None:
            return
        async with machine.turn:
            await _ended(machine, self._grace)

    async def crash(self, server_id: int) -> None:
        """Kills the process of a server at once; nothing starts it again by itself."""
        machine = self._machines.get(server_id)
        if machine is None:
            return
        async with machine.turn:
            await _ended(machine, 0.0)

    async def remove(self, server_id: int) -> None:
        """Ends the process of a server and removes its folder."""
        await self.halt(server_id)
        machine = self._machines.pop(server_id, None)
        if machine is not None:
            shutil.rmtree(machine.folder, ignore_errors=True)

    async def close(self) -> None:
        """Ends every process and removes every folder."""
        await asyncio.gather(*(self.remove(server_id) for server_id in tuple(self._machines)))
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)
            self._root = None

    def seen(self) -> Mapping[int, Agent]:
        return {
            server_id: Agent(
                server=machine.name,
                folder=str(machine.folder),
                pid=machine.process.pid if machine.process is not None else None,
                alive=machine.alive,
            )
            for server_id, machine in self._machines.items()
        }

    def _furnished(self, server_id: int, name: str, user_data: str) -> _Machine:
        if self._root is None:
            self._root = Path(tempfile.mkdtemp(prefix="setpoint-sim-"))
        folder = self._root / f"{server_id}-{name}"
        folder.mkdir(mode=0o700)
        script = folder / _SCRIPT
        script.write_text(user_data)
        script.chmod(0o700)
        return _Machine(name, folder)


async def _started(machine: _Machine) -> asyncio.subprocess.Process | None:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        "HOME": str(machine.folder),
        "SETPOINT_SIM_SERVER": machine.name,
    }
    with _output(machine) as output:
        try:
            return await asyncio.create_subprocess_exec(
                str(machine.folder / _SCRIPT),
                cwd=machine.folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            # A server whose user data cannot be run is a running server all the same, as in the real cloud.
            output.write(f"user data cannot be run: {error}\n".encode())
            return None


def _output(machine: _Machine) -> BinaryIO:
    return (machine.folder / _OUTPUT).open("ab")


async def _ended(machine: _Machine, grace: float) -> None:
    process = machine.process
    if process is None:
        return
    if process.returncode is None and grace > 0:
        _signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), grace)
    # Also when the leader has gone by itself: what it started may still be there.
    _signal_group(process.pid, signal.SIGKILL)
    await process.wait()


def _signal_group(leader: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, number)
