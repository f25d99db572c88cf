"""A DNS zone, the record sets it is born with, and how the API shows it."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from setpoint.sim.hetzner.instant import written
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.values.action import ResourceRef
from setpoint.sim.hetzner.values.rrset import APEX, Record, RRSet

NAMESERVERS = ("hydrogen.ns.sim.example.", "helium.ns.sim.example.", "oxygen.ns.sim.example.")
ZoneName = Annotated[
    str, Meta(pattern=r"^([a-z0-9_]([a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=255)
]


class Nameserver(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A primary that a secondary zone is transferred from."""

    address: str
    port: int = 53
    tsig_algorithm: Literal["hmac-md5", "hmac-sha1", "hmac-sha256"] | None = None
    tsig_key: str | None = None


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    created: float
    mode: Literal["primary", "secondary"] = "primary"
    ttl: int = 3600
    labels: Labels = {}
    protected: bool = False
    primary_nameservers: tuple[Nameserver, ...] = ()

    @property
    def ref(self) -> ResourceRef:
        return ResourceRef("zone", self.id)


def born_with(zone: Zone) -> tuple[RRSet, RRSet]:
    """The SOA and NS record sets that every zone has from its first moment."""
    soa = f"{NAMESERVERS[0]} dns.sim.example. {int(zone.created)} 86400 10800 3600000 3600"
    return (
        RRSet(zone=zone.id, name=APEX, type="SOA", created=zone.created, records=(Record(soa),)),
        RRSet(
            zone=zone.id,
            name=APEX,
            type="NS",
            created=zone.created,
            ttl=3600,
            records=tuple(Record(nameserver) for nameserver in NAMESERVERS),
        ),
    )


def shown(zone: Zone, *, record_count: int, updating: bool) -> dict[str, object]:
    """A zone as the API writes it."""
    return {
        "id": zone.id,
        "name": zone.name,
        "created": written(zone.created),
        "labels": zone.labels,
        "mode": zone.mode,
        "primary_nameservers": zone.primary_nameservers,
        "ttl": zone.ttl,
        "protection": {"delete": zone.protected},
        "status": "updating" if updating else "ok",
        "record_count": record_count,
        "registrar": "other",
        "authoritative_nameservers": {
            "assigned": NAMESERVERS,
            "delegated": NAMESERVERS,
            "delegation_last_check": written(zone.created),
            "delegation_status": "valid",
        },
    }
