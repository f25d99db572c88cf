"""/_sim: the interface that steers the simulator from another process, and lets it be judged."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.answers import answer
from setpoint.sim.hetzner.behind import Behind
from setpoint.sim.hetzner.body import read
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.faults import Fault
from setpoint.sim.hetzner.rate import RateLimit
from setpoint.sim.hetzner.values.rrset import Records, Ttl, shown


class Token(msgspec.Struct, frozen=True):
    """The token to revoke or restore; without one, the first token of the settings."""

    token: str | None = None


class RRSetChange(msgspec.Struct, frozen=True):
    records: Records
    ttl: Ttl | None = None


def routes(cloud: Cloud, behind: Behind, requests: Counter[str]) -> Sequence[Route]:
    steering = _Steering(cloud, behind, requests)
    rrset = "/zones/{zone}/rrsets/{name}/{type}"
    return [
        Route("/state", steering.state),
        Route("/log", steering.log),
        Route("/faults", steering.faults),
        Route("/faults", steering.add_fault, methods=["POST"]),
        Route("/faults", steering.clear_faults, methods=["DELETE"]),
        Route("/faults/{id:int}", steering.remove_fault, methods=["DELETE"]),
        Route("/rate-limit", steering.limit, methods=["POST"]),
        Route("/tokens:revoke", steering.revoke, methods=["POST"]),
        Route("/tokens:restore", steering.restore, methods=["POST"]),
        _on_server("vanish", behind.vanish_server),
        _on_server("kill-agent", behind.kill_agent),
        _on_server("start-agent", behind.start_agent),
        Route(f"{rrset}:change", steering.change_rrset, methods=["POST"]),
        Route(f"{rrset}:vanish", steering.vanish_rrset, methods=["POST"]),
    ]


def _on_server(verb: str, do: Callable[[str], Awaitable[None]]) -> Route:
    async def run(request: Request) -> Response:
        await do(request.path_params["name"])
        return answer(200, {})

    return Route(f"/servers/{{name}}:{verb}", run, methods=["POST"])


class _Steering:
    def __init__(self, cloud: Cloud, behind: Behind, requests: Counter[str]) -> None:
        self._cloud = cloud
        self._behind = behind
        self._requests = requests

    async def state(self, request: Request) -> Response:
        cloud = self._cloud
        effects = Counter(f"{effect.verb} {effect.resource}" for effect in cloud.log.effects)
        return answer(
            200,
            {
                "faults": cloud.faults.struck,
                "requests": self._requests,
                "effects": effects,
                "objects": {
                    "servers": len(cloud.servers),
                    "firewalls": len(cloud.firewalls),
                    "zones": len(cloud.zones),
                    "rrsets": sum(len(cloud.rrsets.of(zone)) for zone in cloud.zones),
                },
                "agents": tuple(cloud.agents.seen().values()),
            },
        )

    async def log(self, request: Request) -> Response:
        """Effects in order; `?since=N` leaves out the first N."""
        since = request.query_params.get("since", "0")
        effects = self._cloud.log.effects
        return answer(
            200, {"effects": effects[int(since) if since.isdecimal() else 0 :], "total": len(effects)}
        )

    async def faults(self, request: Request) -> Response:
        return answer(200, {"faults": self._cloud.faults.standing})

    async def add_fault(self, request: Request) -> Response:
        fault = await read(request, Fault)
        return answer(201, {"id": self._cloud.faults.add(fault), "fault": fault})

    async def clear_faults(self, request: Request) -> Response:
        self._cloud.faults.clear()
        return answer(200, {})

    async def remove_fault(self, request: Request) -> Response:
        self._cloud.faults.remove(request.path_params["id"])
        return answer(200, {})

    async def limit(self, request: Request) -> Response:
        """From now on this limit, with a full bucket."""
        limit = await read(request, RateLimit)
        self._cloud.limiter.set(limit, self._cloud.now())
        return answer(200, {"rate_limit": limit})

    async def revoke(self, request: Request) -> Response:
        body = await read(request, Token)
        self._cloud.faults.revoke(body.token or self._cloud.settings.token)
        return answer(200, {})

    async def restore(self, request: Request) -> Response:
        body = await read(request, Token)
        self._cloud.faults.restore(body.token or self._cloud.settings.token)
        return answer(200, {})

    async def change_rrset(self, request: Request) -> Response:
        body = await read(request, RRSetChange)
        where = request.path_params
        changed = self._behind.change_rrset(
            where["zone"], where["name"], where["type"], body.records, body.ttl
        )
        return answer(200, {"rrset": shown(changed)})

    async def vanish_rrset(self, request: Request) -> Response:
        where = request.path_params
        self._behind.vanish_rrset(where["zone"], where["name"], where["type"])
        return answer(200, {})
