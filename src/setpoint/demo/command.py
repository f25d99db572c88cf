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
from time import sleep
from typing import Any, Final

from setpoint import __version__
from setpoint.client.client import Batch, Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.demo import levers, place
from setpoint.demo.cloud import cloud_at
from setpoint.demo.fleet import ORGANIZATION, OWNER, fleet
from setpoint.demo.scene import Stage, Stuck, play
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
    stay: bool
    code: int = DONE

    async def run(self, stopped: asyncio.Event) -> None:
        """Until the scene is over, or until told to stop."""
        _say(f"setpoint {__version__}  ·  everything below is simulated, nothing leaves this machine")
        async with _both(self.port) as found:
            place.write(place.FILE, found)
            if self.ready_file is not None:
                place.write(self.ready_file, found)
            try:
                await (self._open(found, stopped) if self.stay else self._scene(found))
            finally:
                place.FILE.unlink(missing_ok=True)

    async def _scene(self, found: AnyJson) -> None:
        try:
            good = await asyncio.to_thread(play, _stage(found))
        except Stuck as stuck:
            _say(f"! {stuck}")
            good = False
        self.code = DONE if good else FAILED

    async def _open(self, found: AnyJson, stopped: asyncio.Event) -> None:
        stage = _stage(found)
        if sys.stdout.isatty():
            await asyncio.to_thread(stage.client.declare, ORGANIZATION, Batch(stage.items, OWNER))
        _say(f"  control plane   {found['url']}")
        _say(f"  console         {found['link']}")
        _say("                  opens once, to set up your account; afterwards sign in at the address above")
        _say(f"  cloud           {found['clouds']['hetzner']['url']}")
        _say("  second terminal, in this folder:")
        for words in ("get all", "why host web-2", f"demo {'|'.join(levers.LEVERS)}"):
            _say(f"    {_called()} {words}")
        _say("  Ctrl-C stops and removes everything")
        await stopped.wait()


def run(argv: list[str], until_signal: Callable[[Work], int]) -> int:
    """The demo itself, or one of its levers from a second terminal."""
    if argv and argv[0] in levers.LEVERS:
        return levers.pull(argv)
    parser = argparse.ArgumentParser(
        prog="setpoint demo",
        description="A control plane and a cloud, all simulated, in one process.",
        epilog=f"from a second terminal: setpoint demo {'|'.join(levers.LEVERS)}",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of the API; 0: a free one")
    parser.add_argument("--ready-file", type=Path, metavar="F", help="gets JSON: url, token, link, clouds")
    parser.add_argument("--stay", action="store_true", help="stay open and play nothing")
    flags = parser.parse_args(argv)
    demo = Play(flags.port, flags.ready_file, flags.stay or sys.stdout.isatty())
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
        pause=sleep,
        monotonic=monotonic,
    )


def _called() -> str:
    """How a second terminal calls us: by name, or where this process was started from."""
    folder = Path(sys.executable).parent
    here = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return "setpoint" if shutil.which("setpoint") else str(here / "setpoint")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
