"""A vendor's packet filter in front of marked servers."""

from typing import Protocol

import msgspec

from setpoint.engine.plan import Absence


class Firewall(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    labels: dict[str, str] = {}


class Firewalls(Protocol):
    async def firewall(self, name: str) -> Firewall | Absence: ...

    async def create_firewall(self, name: str, labels: dict[str, str], selector: str) -> None:
        """Lets in SSH and ping, nothing else, for servers that carry the selector's label."""
        ...

    async def delete_firewall(self, firewall_id: str) -> None: ...
