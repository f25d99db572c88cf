"""An account at a vendor: one credential, one budget of calls, everything it can reach."""

from typing import Protocol

import msgspec

from setpoint.capabilities.compute import Compute
from setpoint.capabilities.dns import Dns
from setpoint.capabilities.firewall import Firewalls


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """What one complete sweep found. Landmarks, oldest first, tell this account from any other."""

    landmarks: tuple[str, ...]
    servers: int
    zones: int
    marked: int
    """How many of the servers carry our mark."""


class Account(Protocol):
    """Everything one vendor family offers through one credential."""

    @property
    def compute(self) -> Compute: ...

    @property
    def dns(self) -> Dns: ...

    @property
    def firewalls(self) -> Firewalls: ...

    async def sweep(self) -> Inventory:
        """Proves the credential by listing everything it can reach."""
        ...
