"""`setpoint demo break|lie|slow|partition|mend|report` from a second terminal."""

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from setpoint.cli.text import harmless
from setpoint.client.address import Scope
from setpoint.client.client import Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused, Unreachable
from setpoint.demo import place
from setpoint.demo.cloud import Cloud, cloud_at
from setpoint.demo.fleet import ORGANIZATION
from setpoint.demo.report import report_since
from setpoint.system import now

AnyJson = Any
LEVERS: Final = ("break", "lie", "slow", "partition", "mend", "report")
ABOUT: Final = {
    "break": "delete the server of a host (web-2 if left out) at the cloud, behind our back",
    "lie": "the cloud leaves a page out of its listings until mended",
    "slow": "the cloud takes 3 s for every answer until mended",
    "partition": "the cloud answers nothing until mended",
    "mend": "end lie, slow and partition",
    "report": "the score so far",
}
USAGES: Final = {
    "break [HOST] [--agent]": "delete the server of a host, or only kill its agent, behind our back",
    **{verb: ABOUT[verb] for verb in LEVERS if verb != "break"},
}
"""Each lever as it is typed, and what it does."""
FAILED: Final = 1


def pull(argv: list[str]) -> int:
    """Finds the running demo and pulls one lever of its cloud."""
    verb = argv[0]
    parser = argparse.ArgumentParser(prog=f"setpoint demo {verb}", description=ABOUT[verb])
    if verb == "break":
        parser.add_argument("host", nargs="?", default="web-2")
        parser.add_argument("--agent", action="store_true", help="kill its agent only")
    flags = parser.parse_args(argv[1:])
    found = place.read()
    if found is None:
        _say("no demo runs in this folder; start one with: setpoint demo --stay")
        return FAILED
    client = Client(Connection(Endpoint(url=found["url"], token=found["token"])))
    hetzner = found["clouds"]["hetzner"]
    cloud = cloud_at(hetzner["url"], hetzner["token"])
    levers: Mapping[str, Callable[[], str]] = {
        "break": lambda: _break(client, cloud, flags.host.removeprefix("host/"), agent=flags.agent),
        "lie": lambda: _fault(cloud, "the cloud lies", kind="missing_page", method="GET"),
        "slow": lambda: _fault(cloud, "the cloud is slow", kind="slow", seconds=3.0),
        "partition": lambda: _fault(cloud, "the cloud is away", kind="timeout_before", seconds=0.2),
        "mend": lambda: _mend(cloud),
        "report": lambda: "\n".join(report_since(client, cloud, found.get("meddled_at", 0.0))),
    }
    try:
        _say(levers[verb]())
    except (Refused, Unreachable) as error:
        _say(f"that did not work: {error}")
        return FAILED
    if verb != "report":
        place.write(place.FILE, {**found, "meddled_at": now()})
    return 0


def _break(client: Client, cloud: Cloud, name: str, *, agent: bool) -> str:
    kind = next(kind for kind in client.kinds() if kind.name == "host")
    hosts = {host.name: host for host in client.objects(kind, Scope(ORGANIZATION))}
    if name not in hosts:
        return f"there is no host {name}; there are {', '.join(sorted(hosts)) or 'none yet'}"
    server = hosts[name].status["facts"].get("server")
    if server is None:
        return f"{name} has no server yet: {hosts[name].status['reason']}"
    if agent:
        cloud.kill_agent(server)
        return f"the agent of {name} is dead; watch it: setpoint wait host {name} --for DEGRADED"
    cloud.vanish(server)
    return f"server {server} is gone; watch it come back: setpoint watch hosts"


def _fault(cloud: Cloud, words: str, **fault: AnyJson) -> str:
    cloud.fault(**fault)
    return f"{words} from now on; look: setpoint get all   ·   end it: setpoint demo mend"


def _mend(cloud: Cloud) -> str:
    cloud.mend()
    return "the cloud behaves again"


def _say(line: str) -> None:
    sys.stdout.write(harmless(line) + "\n")
