"""Servers. The listing is shared by everybody who asks within a moment, and forgotten at our own writes."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Literal

from setpoint.capabilities.compute import Order, Server
from setpoint.engine.plan import ABSENT, Absence
from setpoint.providers.hetzner.actions import finished
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


class HetznerServers:
    """Compute through one project token."""

    def __init__(self, transport: Transport, now: Callable[[], float], fresh_for: float) -> None:
        self._transport = transport
        self._now = now
        self._fresh_for = fresh_for
        self._kept: tuple[float, tuple[Server, ...]] | None = None
        self._writes = 0
        self._one_at_a_time = asyncio.Lock()

    @understood
    async def servers(self) -> tuple[Server, ...]:
        async with self._one_at_a_time:
            if self._kept is not None and self._now() - self._kept[0] < self._fresh_for:
                return self._kept[1]
            began, writes = self._now(), self._writes
            found = tuple(_server(raw) for raw in await listed(self._transport, "/servers", "servers"))
            # A listing that overlapped a write of ours may lack it: it is answered, but not kept.
            self._kept = (began, found) if writes == self._writes else None
            return found

    @understood
    async def server(self, name: str) -> Server | Absence:
        answer = await self._transport.call("GET", "/servers", params={"name": name})
        return _server(answer["servers"][0]) if answer["servers"] else ABSENT

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
            self._forget()

    @understood
    async def label(self, server_id: str, labels: dict[str, str]) -> None:
        try:
            await self._transport.call("PUT", f"/servers/{server_id}", {"labels": labels})
        finally:
            self._forget()

    @understood
    async def power(self, server_id: str, on: bool) -> None:
        command = "poweron" if on else "poweroff"
        try:
            answer = await self._transport.call("POST", f"/servers/{server_id}/actions/{command}", {})
            await finished(self._transport, answer["action"])
        finally:
            self._forget()

    @understood
    async def resize(self, server_id: str, size: str) -> None:
        await self.power(server_id, False)
        try:
            body = {"server_type": size, "upgrade_disk": False}
            answer = await self._transport.call("POST", f"/servers/{server_id}/actions/change_type", body)
            await finished(self._transport, answer["action"])
        finally:
            self._forget()
        await self.power(server_id, True)

    @understood
    async def delete(self, server_id: str) -> None:
        try:
            answer = await self._transport.call("DELETE", f"/servers/{server_id}")
            await finished(self._transport, answer["action"])
        finally:
            self._forget()

    def _forget(self) -> None:
        self._kept = None
        self._writes += 1


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
