"""`setpoint demo`: starts a cloud and a control plane in one process, plays the scene or stays open."""

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from setpoint import __version__
from setpoint.cli.text import harmless
from setpoint.client.client import Batch, Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.demo import levers, place
from setpoint.demo.cloud import cloud_at
from setpoint.demo.feed import follow
from setpoint.demo.fleet import ORGANIZATION, OWNER, fleet
from setpoint.demo.scene import Stage, Stopped, Stuck, converge, play
from setpoint.settings import LOOPBACK, Settings
from setpoint.sim.hetzner import HetznerSim, SimSettings
from setpoint.sim.serve import running as cloud_running
from setpoint.system import monotonic, new_secret, now
from setpoint.up import running

AnyJson = Any
Work = Callable[[asyncio.Event], Awaitable[None]]
DONE: Final = 0
FAILED: Final = 1
SLOWEST_LOOK: Final = {"dns_zone": 2.0, "provider": 10.0, "monitoring_object": 5.0, "workspace": 30.0}


@dataclass(slots=True)
class Play:
    """One run of the demo and how it ended."""

    port: int
    ready_file: Path | None
    story: bool
    """Whether it plays its story first; else it declares the same fleet and waits until that is READY."""
    stay: bool
    code: int = DONE

    async def run(self, stopped: asyncio.Event) -> None:
        """Until the story is over, or until told to stop."""
        _say(f"setpoint {__version__}  ·  everything below is simulated, nothing leaves this machine")
        async with _both(self.port) as found:
            stage = _stage(found)
            if not self.story:
                await asyncio.to_thread(stage.client.declare, ORGANIZATION, Batch(stage.items, OWNER))
            place.write(place.FILE, found)
            if self.ready_file is not None:
                place.write(self.ready_file, found)
            try:
                await self._played(stage, stopped)
                if self.stay and not stopped.is_set():
                    await self._open(found, stage, stopped)
            finally:
                place.FILE.unlink(missing_ok=True)

    async def _played(self, stage: Stage, stopped: asyncio.Event) -> None:
        """The story, or only its first scene; a stop ends it where it is."""
        telling = asyncio.create_task(asyncio.to_thread(play if self.story else converge, stage))
        told = asyncio.create_task(stopped.wait())
        await asyncio.wait({telling, told}, return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        if not telling.done():
            stage.stop.set()
        try:
            good = await telling
        except Stuck as stuck:
            _say(f"! {stuck}")
            good = False
        except Stopped:
            return
        self.code = DONE if good else FAILED

    async def _open(self, found: AnyJson, stage: Stage, stopped: asyncio.Event) -> None:
        _say("")
        _say(f"  control plane   {found['url']}")
        _say(f"  console         {found['link']}")
        _say("                  opens once, to set up your account; afterwards sign in at the address above")
        _say(f"  cloud           {found['clouds']['hetzner']['url']}")
        _say("  second terminal, in this folder:")
        for words in ("get all", "why host web-2", *(f"demo {usage}" for usage in levers.USAGES)):
            _say(f"    {_called()} {words}")
        _say("  Ctrl-C stops and removes everything; what happens until then:")
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        await follow(stage.client, _say, stopped, columns)


def run(argv: list[str], until_signal: Callable[[Work], int]) -> int:
    """The demo itself, or one of its levers from a second terminal."""
    if argv and argv[0] in levers.LEVERS:
        return levers.pull(argv)
    pulled = "\n".join(f"  setpoint demo {usage:<24} {about}" for usage, about in levers.USAGES.items())
    parser = argparse.ArgumentParser(
        prog="setpoint demo",
        description="A control plane and a cloud, all simulated, in one process: plays its story, and on a "
        "terminal stays open with what happens.",
        epilog=f"from a second terminal, in the same folder:\n{pulled}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of the API; 0: a free one")
    parser.add_argument("--ready-file", type=Path, metavar="F", help="gets JSON: url, token, link, clouds")
    parser.add_argument("--stay", action="store_true", help="declare the fleet, play nothing, stay open")
    flags = parser.parse_args(argv)
    demo = Play(flags.port, flags.ready_file, not flags.stay, flags.stay or sys.stdout.isatty())
    code = until_signal(demo.run)
    return code or demo.code


@contextlib.asynccontextmanager
async def _both(port: int) -> AsyncIterator[AnyJson]:
    """A simulated cloud and a control plane that knows its token; both gone afterwards."""
    token = new_secret()
    with tempfile.TemporaryDirectory(prefix="setpoint-demo-") as folder:
        secrets = Path(folder) / "secrets"
        secrets.mkdir(mode=0o700)
        (secrets / "hetzner").write_text(token)
        settings = Settings(
            data=folder,
            port=port,
            heartbeat_seconds=1.0,
            settle_seconds=2.0,
            inventory_seconds=1.0,
            park_seconds=30.0,
            intervals=SLOWEST_LOOK,
            log_requests=False,
            private_networks=LOOPBACK,
        )
        sim = HetznerSim(SimSettings(token=token, action_seconds=0.5), now=now)
        async with cloud_running(sim) as cloud_url, running(settings) as control:
            cloud = {"url": f"{cloud_url}/v1", "token": token}
            yield {
                "url": control.url,
                "token": control.token,
                "link": control.link,
                "clouds": {"hetzner": cloud},
            }


def _stage(found: AnyJson) -> Stage:
    cloud = found["clouds"]["hetzner"]
    return Stage(
        client=Client(Connection(Endpoint(url=found["url"], token=found["token"]))),
        cloud=cloud_at(cloud["url"], cloud["token"]),
        items=fleet(cloud["url"], found["url"]),
        say=lambda symbol, line: _say(f"  {symbol} {line}".rstrip()),
        monotonic=monotonic,
    )


def _called() -> str:
    """How a second terminal calls us: by name, or where this process was started from."""
    folder = Path(sys.executable).parent
    here = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return "setpoint" if shutil.which("setpoint") else str(here / "setpoint")


def _say(line: str) -> None:
    sys.stdout.write(harmless(line) + "\n")
    sys.stdout.flush()
