"""Servers. One listing serves all who ask within a moment, save those whose own write it may not show."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from setpoint.capabilities.compute import Order, Server
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Absence
from setpoint.providers.hetzner.actions import Actions
from setpoint.providers.hetzner.listing import listed
from setpoint.providers.transport import Transport
from setpoint.providers.understood import understood

AnyJson = Any
STATUS: Final[dict[str, Literal["creating", "running", "off"]]] = {
    "initializing": "creating",
    "starting": "creating",
    "running": "running",
    "off": "off",
}


class Listing(Struct, frozen=True):
    """All servers, when the listing began, and how many of our writes had ended by then."""

    began: float
    writes: int
    servers: tuple[Server, ...]


class HetznerServers:
    """Compute through one project token."""

    def __init__(self, transport: Transport, now: Callable[[], float], fresh_for: float) -> None:
        self._transport = transport
        self._actions = Actions(transport)
        self._now = now
        self._fresh_for = fresh_for
        self._kept = Listing(float("-inf"), 0, ())
        self._writes = 0
        self._written: dict[str, int] = {}
        self._one_at_a_time = asyncio.Lock()

    @understood
    async def servers(self, about: str = "") -> tuple[Server, ...]:
        async with self._one_at_a_time:
            if not self._serves(about):
                began, writes = self._now(), self._writes
                found = await listed(self._transport, "/servers", "servers")
                self._kept = Listing(began, writes, tuple(_server(raw) for raw in found))
                self._written = {key: number for key, number in self._written.items() if number > writes}
            return self._kept.servers

    @understood
    async def server(self, name: str) -> Server | Absence:
        # A list too: one that leaves out what it counts is no proof of absence.
        found = await listed(self._transport, "/servers", "servers", {"name": name})
        return _server(found[0]) if found else ABSENT

    @understood
    async def create(self, order: Order) -> None:
        body = {
            "name": order.name,
            "server_type": order.size,
            "image": order.image,
            "location": order.location,
            "user_data": order.user_data,
            "labels": order.labels,
        }
        try:
            await self._transport.call("POST", "/servers", body)
        finally:
            self._note(order.name)

    @understood
    async def label(self, server_id: str, labels: dict[str, str]) -> None:
        try:
            await self._transport.call("PUT", f"/servers/{server_id}", {"labels": labels})
        finally:
            self._note(server_id)

    @understood
    async def power(self, server_id: str, on: bool) -> None:
        command = "poweron" if on else "poweroff"
        try:
            answer = await self._transport.call("POST", f"/servers/{server_id}/actions/{command}", {})
            await self._actions.finished(answer["action"])
        finally:
            self._note(server_id)

    @understood
    async def resize(self, server_id: str, size: str) -> None:
        await self.power(server_id, False)
        try:
            body = {"server_type": size, "upgrade_disk": False}
            answer = await self._transport.call("POST", f"/servers/{server_id}/actions/change_type", body)
            await self._actions.finished(answer["action"])
        except Rejected:
            await self.power(server_id, True)  # What cannot be has cost enough.
            raise
        finally:
            self._note(server_id)
        await self.power(server_id, True)

    @understood
    async def delete(self, server_id: str) -> None:
        try:
            answer = await self._transport.call("DELETE", f"/servers/{server_id}")
            await self._actions.finished(answer["action"])
        finally:
            self._note(server_id)

    def _serves(self, about: str) -> bool:
        """Whether the listing at hand is fresh, and began after our last write to the server in question."""
        ids = [server.id for server in self._kept.servers if server.name == about]
        seen = all(self._written.get(key, 0) <= self._kept.writes for key in (about, *ids))
        return seen and self._now() - self._kept.began < self._fresh_for

    def _note(self, key: str) -> None:
        """A write to this server has ended: listings that began earlier may not show it."""
        self._writes += 1
        self._written[key] = self._writes


def _server(raw: AnyJson) -> Server:
    address = (raw["public_net"]["ipv4"] or {}).get("ip", "")
    return Server(
        id=str(raw["id"]),
        name=raw["name"],
        status=STATUS.get(raw["status"], "other"),
        size=raw["server_type"]["name"],
        image=raw["image"]["name"] if raw["image"] else "",
        location=raw["location"]["name"],
        address=address,
        labels=raw["labels"],
        created_at=raw["created"],
    )
