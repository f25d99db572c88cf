"""An account at a vendor: one credential, one budget of calls, everything it can reach."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from setpoint.capabilities.compute import Compute
from setpoint.capabilities.dns import Dns
from setpoint.capabilities.firewall import Firewalls

AnyJson = Any


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """What one complete sweep found. Landmarks, oldest first, tell this account from any other."""

    landmarks: tuple[str, ...]
    servers: int
    zones: int
    marked: int
    """How many of the servers carry our mark."""
    fingerprint: str = ""
    """Of the account it was made through."""


class Account(Protocol):
    """Everything one vendor family offers through one credential."""

    @property
    def fingerprint(self) -> str:
        """Stands for address and credential: while it stays the same, so does the account."""
        ...

    @property
    def compute(self) -> Compute: ...

    @property
    def dns(self) -> Dns: ...

    @property
    def firewalls(self) -> Firewalls: ...

    async def sweep(self) -> Inventory:
        """Proves the credential by listing everything it can reach."""
        ...


def another(facts: Mapping[str, AnyJson], seen: Inventory) -> str:
    """Why a sweep seems to show another account than these facts are about; empty if it does not.

    What is gone from an account we know proves nothing; behind another address or credential it does.
    """
    known = set(facts.get("landmarks", ()))
    if not known or facts.get("fingerprint") == seen.fingerprint or known & set(seen.landmarks):
        return ""
    return f"none of the {len(known)} things known from before is in this account; is it another one?"
