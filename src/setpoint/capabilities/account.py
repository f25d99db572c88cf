"""An account at a vendor: one credential, one budget of calls, everything it can reach."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from setpoint.capabilities.compute import Compute, Server
from setpoint.capabilities.dns import Dns
from setpoint.capabilities.firewall import Firewalls
from setpoint.engine.entity import AnyEntity

AnyJson = Any


class Calls(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls the vendor allows, how many at least are left, and what is kept for those who wait.

    In a few steps: finer ones would be news at every look, and a quiet time writes nothing.
    """

    limit: int
    left_percent: int
    reserve_percent: int


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """What one complete sweep found. Landmarks, oldest first, tell this account from any other."""

    landmarks: tuple[str, ...]
    servers: int
    zones: int
    marked: int
    """How many of the servers carry our mark."""
    made: tuple[Server, ...] = ()
    """Those of the servers that carry a mark."""
    fingerprint: str = ""
    """Of the account it was made through."""
    calls: Calls | None = None
    """None where the vendor does not say."""


class Account(Protocol):
    """Everything one vendor family offers through one credential."""

    @property
    def fingerprint(self) -> str:
        """Stands for address and credential: while it stays the same, so does the account."""
        ...

    @property
    def identity(self) -> str:
        """Stands for what it leads to: the same for every provider and every spelling of its address."""
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


class Accounts(Protocol):
    """The account a provider entity stands for; one per credential, shared by all who use it."""

    async def account(self, provider: AnyEntity) -> Account:
        """With the version of its credential that is known to work."""
        ...

    async def newest(self, provider: AnyEntity) -> Account:
        """With the newest version, which may not have been seen to work yet."""
        ...

    async def proven(self, provider: AnyEntity) -> None:
        """The newest version works, and it is the same account."""
        ...


def remembered(facts: Mapping[str, AnyJson]) -> frozenset[str]:
    """What facts know of an account: a provider's landmarks, or the one thing of a host or a zone."""
    own = {f"{noun}/{facts[key]}" for noun in ("server", "zone") if (key := f"{noun}_id") in facts}
    return frozenset(facts.get("landmarks", ())) | own


def another(known: frozenset[str], seen: Inventory) -> str:
    """Why a sweep seems to show another account than the one these things are in; empty if it does not."""
    if not known or known & set(seen.landmarks):
        return ""
    return f"none of the {len(known)} things known from before is in this account; is it another one?"
