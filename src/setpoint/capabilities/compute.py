"""Servers at a vendor, as any family offers them."""

from typing import Literal, Protocol

import msgspec

from setpoint.engine.plan import Absence


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One server as the vendor shows it."""

    id: str
    name: str
    status: Literal["creating", "running", "off", "other"]
    size: str
    image: str
    location: str
    address: str = ""
    labels: dict[str, str] = {}
    created_at: str = ""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A server to be made; the labels carry our mark."""

    name: str
    size: str
    image: str
    location: str
    user_data: str
    labels: dict[str, str]


class Compute(Protocol):
    """A listing is complete or it raises."""

    async def servers(self, about: str = "") -> tuple[Server, ...]:
        """All of them, perhaps as seen a moment ago, but not from before our last write to `about`."""
        ...

    async def server(self, name: str) -> Server | Absence:
        """One server by its name, asked for directly."""
        ...

    async def create(self, order: Order) -> None: ...

    async def label(self, server_id: str, labels: dict[str, str]) -> None: ...

    async def power(self, server_id: str, on: bool) -> None: ...

    async def resize(self, server_id: str, size: str) -> None:
        """Another size for the same server: off, changed, on again."""
        ...

    async def delete(self, server_id: str) -> None: ...
