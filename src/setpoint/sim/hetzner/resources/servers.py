"""/servers: list, create, change, delete. What can be done to one that exists is in `server_power`."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.actions import Work
from setpoint.sim.hetzner.answers import answer, begin, listed, require_visible, shown_actions
from setpoint.sim.hetzner.body import read
from setpoint.sim.hetzner.catalogue import Offer, offered
from setpoint.sim.hetzner.cloud import Cloud, changed_server
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import protected, unprocessable
from setpoint.sim.hetzner.resources.actions import routes_of
from setpoint.sim.hetzner.values.action import ResourceRef
from setpoint.sim.hetzner.values.action import shown as shown_action
from setpoint.sim.hetzner.values.firewall import FirewallResource, ServerId
from setpoint.sim.hetzner.values.server import Server

DEFAULT_LOCATION = "fsn1"
_HOST_PART = r"[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?"
HostName = Annotated[str, Meta(pattern=rf"^{_HOST_PART}(\.{_HOST_PART})*$", max_length=253)]
_SIGNS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class PublicNet(msgspec.Struct, frozen=True):
    enable_ipv4: bool = True
    enable_ipv6: bool = True


class FirewallToApply(msgspec.Struct, frozen=True):
    firewall: int


class NewServer(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a create; ids may come as numbers or as text."""

    name: HostName
    server_type: str | int
    image: str | int
    location: str | int | None = None
    datacenter: str | int | None = None
    labels: Labels | None = None
    user_data: Annotated[str, Meta(max_length=32768)] | None = None
    start_after_create: bool = True
    public_net: PublicNet = PublicNet()
    firewalls: tuple[FirewallToApply, ...] = ()
    ssh_keys: tuple[str | int, ...] = ()
    networks: tuple[int, ...] = ()
    volumes: tuple[int, ...] = ()
    placement_group: int | None = None
    automount: bool | None = None


class ServerChange(msgspec.Struct, frozen=True, kw_only=True):
    name: HostName | None = None
    labels: Labels | None = None


def routes(cloud: Cloud) -> Sequence[Route]:
    resource = _Servers(cloud)
    return [
        *routes_of(cloud, "servers", "server", "{id:int}", resource.ref),
        Route("/servers", resource.list_all),
        Route("/servers", resource.create, methods=["POST"]),
        Route("/servers/{id:int}", resource.get),
        Route("/servers/{id:int}", resource.change, methods=["PUT"]),
        Route("/servers/{id:int}", resource.delete, methods=["DELETE"]),
    ]


class _Servers:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._listing: Listing[Server] = Listing(
            key="servers",
            show=cloud.shown_server,
            sortable={
                "id": lambda server: server.id,
                "name": lambda server: server.name,
                "created": lambda server: server.created,
            },
            filters={"name": lambda server: server.name, "status": lambda server: server.status},
            labels=lambda server: server.labels,
            created=lambda server: server.created,
        )

    def ref(self, request: Request) -> ResourceRef:
        return self._cloud.servers.get(request.path_params["id"]).ref

    async def list_all(self, request: Request) -> Response:
        return listed(self._cloud, request, tuple(self._cloud.servers), self._listing)

    async def get(self, request: Request) -> Response:
        server = self._cloud.servers.get(request.path_params["id"])
        require_visible(self._cloud, request, server.created)
        return answer(200, {"server": self._cloud.shown_server(server)})

    async def create(self, request: Request) -> Response:
        body = await read(request, NewServer)
        server = self._added(body)
        cloud = self._cloud

        async def settle() -> None:
            await cloud.settle_server(server.id, "running" if body.start_after_create else "off")

        async def forget() -> None:
            await cloud.forget_server(server)

        action = begin(
            cloud, request, Work("create_server", (server.ref,), then=settle, otherwise=forget, locks=True)
        )
        following = []
        if body.start_after_create:
            following.append(cloud.actions.begin(Work("start_server", (server.ref,))))
        return answer(
            201,
            {
                "server": cloud.shown_server(server),
                "action": shown_action(action, cloud.now()),
                "next_actions": shown_actions(cloud, following),
                "root_password": None if body.ssh_keys else self._password(),
            },
        )

    async def change(self, request: Request) -> Response:
        body = await read(request, ServerChange)
        server = self._cloud.servers.get(request.path_params["id"])
        changed = replace(
            server,
            name=server.name if body.name is None else body.name,
            labels=server.labels if body.labels is None else body.labels,
        )
        self._cloud.servers.put(changed)
        self._cloud.log.write("update", changed_server(changed))
        return answer(200, {"server": self._cloud.shown_server(changed)})

    async def delete(self, request: Request) -> Response:
        cloud = self._cloud
        server = cloud.servers.get(request.path_params["id"])
        if server.protection.delete:
            raise protected(f"server '{server.name}'")
        cloud.actions.require_unlocked(server.ref)
        cloud.servers.put(replace(server, status="deleting"))
        cloud.log.write("delete", changed_server(server))

        async def forget() -> None:
            await cloud.forget_server(server)

        async def keep() -> None:
            await cloud.settle_server(server.id, server.status)

        action = begin(
            cloud, request, Work("delete_server", (server.ref,), then=forget, otherwise=keep, locks=True)
        )
        return answer(200, {"action": shown_action(action, cloud.now())})

    def _added(self, body: NewServer) -> Server:
        cloud = self._cloud
        _require_simulated(body)
        offer = offered(body.server_type, body.image, _location(body))
        firewalls = [cloud.firewalls.get(one.firewall) for one in body.firewalls]
        server = cloud.servers.put(_new_server(body, offer, cloud.new_id(), cloud.now()))
        resource = FirewallResource(type="server", server=ServerId(server.id))
        for firewall in firewalls:
            cloud.firewalls.put(replace(firewall, applied_to=(*firewall.applied_to, resource)))
        cloud.log.write("create", changed_server(server))
        return server

    def _password(self) -> str:
        return "".join(self._cloud.random.choices(_SIGNS, k=20))


def _location(body: NewServer) -> str | int:
    if body.location is not None:
        return body.location
    # The deprecated field names a data centre, `fsn1-dc1`; its location is what is left of it.
    return str(body.datacenter or DEFAULT_LOCATION).partition("-")[0]


def _require_simulated(body: NewServer) -> None:
    """Refuses what would otherwise be accepted and silently not there."""
    for field in ("networks", "volumes", "placement_group"):
        if getattr(body, field):
            raise unprocessable(f"{field} are not simulated", "unsupported_error")


def _new_server(body: NewServer, offer: Offer, server_id: int, now: float) -> Server:
    return Server(
        id=server_id,
        name=body.name,
        created=now,
        server_type=offer.server_type,
        image=offer.image,
        location=offer.location,
        disk=offer.server_type.disk,
        labels=body.labels or {},
        user_data=body.user_data or "",
        has_ipv4=body.public_net.enable_ipv4,
        has_ipv6=body.public_net.enable_ipv6,
    )
