"""Zones and their record sets at a DNS provider."""

from typing import Literal, Protocol

import msgspec

from setpoint.engine.plan import Absence

RecordType = Literal[
    "A", "AAAA", "CAA", "CNAME", "DS", "HINFO", "HTTPS", "MX", "NS", "PTR", "RP", "SRV", "SVCB", "TLSA", "TXT"
]  # fmt: skip
"""The types that can be declared; the SOA record is the provider's own."""


class RecordSet(msgspec.Struct, frozen=True, kw_only=True):
    """All values of one name and type."""

    name: str
    type: str
    values: tuple[str, ...]
    ttl: int | None = None
    labels: dict[str, str] = {}


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """One zone as the provider shows it."""

    id: str
    name: str
    labels: dict[str, str] = {}


class Dns(Protocol):
    """A listing is complete or it raises; Missing where the zone itself is not there."""

    async def zone(self, name: str) -> Zone | Absence: ...

    async def create_zone(self, name: str, labels: dict[str, str]) -> None: ...

    async def delete_zone(self, name: str) -> None: ...

    async def records(self, zone: str) -> tuple[RecordSet, ...]: ...

    async def record(self, zone: str, name: str, kind: str) -> RecordSet | Absence: ...

    async def create_record(self, zone: str, record: RecordSet) -> None: ...

    async def change_record(self, zone: str, record: RecordSet) -> None: ...

    async def delete_record(self, zone: str, name: str, kind: str) -> None: ...
