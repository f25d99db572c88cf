"""/zones: DNS zones, by id or by name. Their record sets are in `rrsets`."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.actions import Work
from setpoint.sim.hetzner.answers import action_answer, answer, begin, listed, require_visible
from setpoint.sim.hetzner.body import read
from setpoint.sim.hetzner.cloud import Cloud, changed_rrset, changed_zone
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import invalid_input, protected, unprocessable
from setpoint.sim.hetzner.resources.actions import routes_of
from setpoint.sim.hetzner.values.action import ResourceRef
from setpoint.sim.hetzner.values.action import shown as shown_action
from setpoint.sim.hetzner.values.rrset import (
    MOST_RECORDS,
    Record,
    RRName,
    RRSet,
    RRType,
    Ttl,
    mistakes_in_records,
)
from setpoint.sim.hetzner.values.zone import Nameserver, Zone, ZoneName, born_with, shown


class NewRRSet(msgspec.Struct, frozen=True, kw_only=True):
    """A record set as a request describes it, alone or inside a new zone."""

    name: RRName
    type: RRType
    records: Annotated[tuple[Record, ...], Meta(max_length=MOST_RECORDS)]
    ttl: Ttl | None = None
    labels: Labels | None = None


class NewZone(msgspec.Struct, frozen=True, kw_only=True):
    name: ZoneName
    mode: Literal["primary", "secondary"]
    ttl: Ttl = 3600
    labels: Labels | None = None
    primary_nameservers: tuple[Nameserver, ...] = ()
    rrsets: tuple[NewRRSet, ...] = ()
    zonefile: str | None = None


class ZoneChange(msgspec.Struct, frozen=True):
    labels: Labels | None = None


class TtlChange(msgspec.Struct, frozen=True):
    ttl: Ttl


class ProtectionChange(msgspec.Struct, frozen=True):
    delete: bool = False


class NameserverChange(msgspec.Struct, frozen=True):
    primary_nameservers: tuple[Nameserver, ...]


def routes(cloud: Cloud) -> Sequence[Route]:
    resource = _Zones(cloud)
    one = "/zones/{zone}"
    return [
        *routes_of(cloud, "zones", "zone", "{zone}", resource.ref),
        Route("/zones", resource.list_all),
        Route("/zones", resource.create, methods=["POST"]),
        Route(one, resource.get),
        Route(one, resource.change, methods=["PUT"]),
        Route(one, resource.delete, methods=["DELETE"]),
        Route(f"{one}/actions/change_ttl", resource.change_ttl, methods=["POST"]),
        Route(f"{one}/actions/change_protection", resource.change_protection, methods=["POST"]),
        Route(f"{one}/actions/change_primary_nameservers", resource.change_nameservers, methods=["POST"]),
    ]


def named(cloud: Cloud, request: Request) -> Zone:
    """The zone that a path names, by id or by name."""
    id_or_name: str = request.path_params["zone"]
    return cloud.zones.get(int(id_or_name)) if id_or_name.isdecimal() else cloud.zones.named(id_or_name)


class _Zones:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._listing: Listing[Zone] = Listing(
            key="zones",
            show=self._shown,
            sortable={
                "id": lambda zone: zone.id,
                "name": lambda zone: zone.name,
                "created": lambda zone: zone.created,
            },
            filters={"name": lambda zone: zone.name, "mode": lambda zone: zone.mode},
            labels=lambda zone: zone.labels,
            created=lambda zone: zone.created,
        )

    def ref(self, request: Request) -> ResourceRef:
        return named(self._cloud, request).ref

    async def list_all(self, request: Request) -> Response:
        return listed(self._cloud, request, tuple(self._cloud.zones), self._listing)

    async def get(self, request: Request) -> Response:
        zone = named(self._cloud, request)
        require_visible(self._cloud, request, zone.created)
        return answer(200, {"zone": self._shown(zone)})

    async def create(self, request: Request) -> Response:
        body = await read(request, NewZone)
        _require_possible(body)
        cloud = self._cloud
        zone = cloud.zones.put(_new_zone(body, cloud.new_id(), cloud.now()))
        cloud.log.write("create", changed_zone(zone))
        for rrset in born_with(zone):
            cloud.rrsets.put(rrset)
        for new in body.rrsets:
            rrset = cloud.rrsets.put(new_rrset(new, zone, cloud.now()))
            cloud.log.write("create", changed_rrset(rrset, zone))
        action = begin(cloud, request, Work("create_zone", (zone.ref,)))
        return answer(201, {"zone": self._shown(zone), "action": shown_action(action, cloud.now())})

    async def change(self, request: Request) -> Response:
        body = await read(request, ZoneChange)
        zone = named(self._cloud, request)
        changed = replace(zone, labels=zone.labels if body.labels is None else body.labels)
        self._put(changed, "update")
        return answer(200, {"zone": self._shown(changed)})

    async def delete(self, request: Request) -> Response:
        zone = named(self._cloud, request)
        if zone.protected:
            raise protected(f"zone '{zone.name}'")
        self._cloud.zones.drop(zone.id)
        self._cloud.rrsets.drop_all(zone)
        self._cloud.log.write("delete", changed_zone(zone))
        return action_answer(self._cloud, begin(self._cloud, request, Work("delete_zone", (zone.ref,))))

    async def change_ttl(self, request: Request) -> Response:
        body = await read(request, TtlChange)
        zone = named(self._cloud, request)
        self._put(replace(zone, ttl=body.ttl), "change_ttl")
        return action_answer(self._cloud, begin(self._cloud, request, Work("change_zone_ttl", (zone.ref,))))

    async def change_protection(self, request: Request) -> Response:
        body = await read(request, ProtectionChange)
        zone = named(self._cloud, request)
        self._put(replace(zone, protected=body.delete), "change_protection")
        return action_answer(
            self._cloud, begin(self._cloud, request, Work("change_zone_protection", (zone.ref,)))
        )

    async def change_nameservers(self, request: Request) -> Response:
        body = await read(request, NameserverChange)
        zone = named(self._cloud, request)
        if zone.mode != "secondary":
            raise unprocessable(f"zone '{zone.name}' is {zone.mode}", "incorrect_zone_mode")
        self._put(replace(zone, primary_nameservers=body.primary_nameservers), "change_primary_nameservers")
        return action_answer(
            self._cloud, begin(self._cloud, request, Work("change_zone_primary_nameservers", (zone.ref,)))
        )

    def _put(self, zone: Zone, verb: str) -> None:
        self._cloud.zones.put(zone)
        self._cloud.log.write(verb, changed_zone(zone))

    def _shown(self, zone: Zone) -> dict[str, object]:
        return shown(
            zone, record_count=self._cloud.rrsets.count(zone), updating=self._cloud.actions.busy(zone.ref)
        )


def new_rrset(new: NewRRSet, zone: Zone, now: float) -> RRSet:
    return RRSet(
        zone=zone.id,
        name=new.name,
        type=new.type,
        created=now,
        ttl=new.ttl,
        labels=new.labels or {},
        records=new.records,
    )


def _new_zone(body: NewZone, zone_id: int, now: float) -> Zone:
    return Zone(
        id=zone_id,
        name=body.name,
        created=now,
        mode=body.mode,
        ttl=body.ttl,
        labels=body.labels or {},
        primary_nameservers=body.primary_nameservers,
    )


def _require_possible(body: NewZone) -> None:
    if body.zonefile is not None:
        raise unprocessable("zone files are not simulated", "unsupported_error")
    mistakes = [
        (f"rrsets.{index}.{field}", message)
        for index, new in enumerate(body.rrsets)
        for field, message in mistakes_in_records(new.type, new.records)
    ]
    if mistakes:
        raise invalid_input(mistakes)
