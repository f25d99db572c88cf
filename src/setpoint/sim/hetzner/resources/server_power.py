"""/servers/{id}/actions: power, type and protection of a server that exists."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.actions import Then, Work
from setpoint.sim.hetzner.answers import action_answer, begin
from setpoint.sim.hetzner.body import read
from setpoint.sim.hetzner.catalogue import server_type_named
from setpoint.sim.hetzner.cloud import Cloud, changed_server
from setpoint.sim.hetzner.refusal import unprocessable
from setpoint.sim.hetzner.values.server import Server, ServerProtection, ServerStatus


class Power(msgspec.Struct, frozen=True):
    """One way to change the power of a server: on the way it is `during`, and `after` it stays."""

    path: str
    command: str
    during: ServerStatus
    after: ServerStatus
    restarts: bool = False


POWER = (
    Power("poweron", "start_server", during="starting", after="running"),
    Power("poweroff", "stop_server", during="stopping", after="off"),
    Power("shutdown", "shutdown_server", during="stopping", after="off"),
    Power("reboot", "reboot_server", during="running", after="running", restarts=True),
    Power("reset", "reset_server", during="running", after="running", restarts=True),
)


class TypeChange(msgspec.Struct, frozen=True):
    server_type: str | int
    upgrade_disk: bool


class ProtectionChange(msgspec.Struct, frozen=True):
    delete: bool | None = None
    rebuild: bool | None = None


def routes(cloud: Cloud) -> Sequence[Route]:
    commands = _Commands(cloud)
    at = "/servers/{id:int}/actions"
    return [
        *(_power_route(commands, at, power) for power in POWER),
        Route(f"{at}/change_type", commands.change_type, methods=["POST"]),
        Route(f"{at}/change_protection", commands.change_protection, methods=["POST"]),
    ]


def _power_route(commands: "_Commands", at: str, power: Power) -> Route:
    async def run(request: Request) -> Response:
        return await commands.power(request, power)

    return Route(f"{at}/{power.path}", run, methods=["POST"])


class _Commands:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    async def power(self, request: Request, power: Power) -> Response:
        cloud = self._cloud
        server = self._unlocked(request)
        if power.restarts and server.status != "running":
            raise unprocessable(f"server '{server.name}' is {server.status}", "server_not_running")
        if server.status != power.after:
            cloud.servers.put(replace(server, status=power.during))
        cloud.log.write(power.path, changed_server(server))

        async def settle() -> None:
            if power.restarts:
                await cloud.agents.halt(server.id)
            await cloud.settle_server(server.id, power.after)

        return self._begun(request, power.command, server, settle)

    async def change_type(self, request: Request) -> Response:
        cloud = self._cloud
        body = await read(request, TypeChange)
        kind = server_type_named(body.server_type)
        server = self._unlocked(request)
        _require_changeable(server, kind.disk, kind.architecture)
        cloud.servers.put(replace(server, status="migrating"))
        cloud.log.write("change_type", changed_server(server))

        async def settle() -> None:
            held = cloud.servers.find(server.id)
            if held is not None:
                disk = kind.disk if body.upgrade_disk else held.disk
                cloud.servers.put(replace(held, server_type=kind, disk=disk))
            await cloud.settle_server(server.id, "running")

        return self._begun(request, "change_server_type", server, settle)

    async def change_protection(self, request: Request) -> Response:
        body = await read(request, ProtectionChange)
        server = self._cloud.servers.get(request.path_params["id"])
        protection = ServerProtection(
            delete=server.protection.delete if body.delete is None else body.delete,
            rebuild=server.protection.rebuild if body.rebuild is None else body.rebuild,
        )
        self._cloud.servers.put(replace(server, protection=protection))
        self._cloud.log.write("change_protection", changed_server(server))
        return action_answer(
            self._cloud, begin(self._cloud, request, Work("change_server_protection", (server.ref,)))
        )

    def _unlocked(self, request: Request) -> Server:
        server = self._cloud.servers.get(request.path_params["id"])
        self._cloud.actions.require_unlocked(server.ref)
        return server

    def _begun(self, request: Request, command: str, server: Server, settle: Then) -> Response:
        async def keep() -> None:
            await self._cloud.settle_server(server.id, server.status)

        action = begin(
            self._cloud, request, Work(command, (server.ref,), then=settle, otherwise=keep, locks=True)
        )
        return action_answer(self._cloud, action)


def _require_changeable(server: Server, disk: int, architecture: str) -> None:
    if server.status != "off":
        raise unprocessable(f"server '{server.name}' is {server.status}, not off", "server_not_stopped")
    if disk < server.disk or architecture != server.image.architecture:
        raise unprocessable(f"server '{server.name}' cannot become this type", "invalid_server_type")
