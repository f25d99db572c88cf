"""/zones/{zone}/rrsets: the record sets of a zone."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.actions import Work
from setpoint.sim.hetzner.answers import action_answer, answer, begin, listed, require_visible
from setpoint.sim.hetzner.body import read, shaped
from setpoint.sim.hetzner.cloud import Cloud, changed_rrset
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import invalid_input, not_found, protected, unprocessable
from setpoint.sim.hetzner.resources.zones import NewRRSet, named, new_rrset
from setpoint.sim.hetzner.values.action import shown as shown_action
from setpoint.sim.hetzner.values.rrset import Record, Records, RRSet, Ttl, mistakes_in_records, shown
from setpoint.sim.hetzner.values.zone import Zone


class RRSetChange(msgspec.Struct, frozen=True):
    labels: Labels | None = None


class NewRecords(msgspec.Struct, frozen=True):
    records: Records


class MoreRecords(msgspec.Struct, frozen=True):
    records: Records
    ttl: Ttl | None = None


class TtlChange(msgspec.Struct, frozen=True):
    ttl: Ttl | None


class ProtectionChange(msgspec.Struct, frozen=True):
    change: bool


_LISTING: Listing[RRSet] = Listing(
    key="rrsets",
    show=shown,
    sortable={
        "id": lambda rrset: rrset.id,
        "name": lambda rrset: rrset.name,
        "created": lambda rrset: rrset.created,
    },
    filters={"name": lambda rrset: rrset.name, "type": lambda rrset: rrset.type},
    labels=lambda rrset: rrset.labels,
    created=lambda rrset: rrset.created,
)


def routes(cloud: Cloud) -> Sequence[Route]:
    resource = _RRSets(cloud)
    one = "/zones/{zone}/rrsets/{name}/{type}"
    return [
        Route("/zones/{zone}/rrsets", resource.list_all),
        Route("/zones/{zone}/rrsets", resource.create, methods=["POST"]),
        Route(one, resource.get),
        Route(one, resource.change, methods=["PUT"]),
        Route(one, resource.delete, methods=["DELETE"]),
        Route(f"{one}/actions/set_records", resource.set_records, methods=["POST"]),
        Route(f"{one}/actions/add_records", resource.add_records, methods=["POST"]),
        Route(f"{one}/actions/remove_records", resource.remove_records, methods=["POST"]),
        Route(f"{one}/actions/update_records", resource.update_records, methods=["POST"]),
        Route(f"{one}/actions/change_ttl", resource.change_ttl, methods=["POST"]),
        Route(f"{one}/actions/change_protection", resource.change_protection, methods=["POST"]),
    ]


class _RRSets:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    async def list_all(self, request: Request) -> Response:
        zone = named(self._cloud, request)
        return listed(self._cloud, request, self._cloud.rrsets.of(zone), _LISTING)

    async def get(self, request: Request) -> Response:
        _, rrset = self._named(request)
        require_visible(self._cloud, request, rrset.created)
        return answer(200, {"rrset": shown(rrset)})

    async def create(self, request: Request) -> Response:
        body = await read(request, NewRRSet)
        zone = _primary(named(self._cloud, request))
        _require_good(body.type, body.records)
        rrset = new_rrset(body, zone, self._cloud.now())
        self._require_no_alias(rrset, zone)
        self._cloud.rrsets.add(rrset)
        self._cloud.log.write("create", changed_rrset(rrset, zone))
        action = begin(self._cloud, request, Work("create_rrset", (zone.ref,)))
        return answer(201, {"rrset": shown(rrset), "action": shown_action(action, self._cloud.now())})

    async def change(self, request: Request) -> Response:
        body = await read(request, RRSetChange)
        zone, rrset = self._named(request)
        changed = replace(rrset, labels=rrset.labels if body.labels is None else body.labels)
        self._put(changed, zone, "update")
        return answer(200, {"rrset": shown(changed)})

    async def delete(self, request: Request) -> Response:
        zone, rrset = self._changeable(request)
        self._drop(rrset, zone, "delete")
        return self._begun(request, "delete_rrset", zone)

    async def set_records(self, request: Request) -> Response:
        body = await read(request, NewRecords)
        zone, rrset = self._changeable(request)
        _require_good(rrset.type, body.records)
        self._put(replace(rrset, records=body.records), zone, "set_records")
        return self._begun(request, "set_rrset_records", zone)

    async def add_records(self, request: Request) -> Response:
        body = await read(request, MoreRecords)
        zone = _primary(named(self._cloud, request))
        rrset = self._found_or_new(request, zone, body.ttl)
        together = (*rrset.records, *body.records)
        _require_good(rrset.type, together)
        if body.ttl not in (None, rrset.ttl):
            raise invalid_input([("ttl", f"the rrset has {rrset.ttl}, the request says {body.ttl}")])
        self._put(replace(rrset, records=together), zone, "add_records")
        return self._begun(request, "add_rrset_records", zone)

    async def remove_records(self, request: Request) -> Response:
        body = await read(request, NewRecords)
        zone, rrset = self._changeable(request)
        values = {record.value for record in body.records}
        missing = values - {record.value for record in rrset.records}
        if missing:
            raise not_found(f"record {min(missing)!r} of rrset '{rrset.id}'")
        kept = tuple(record for record in rrset.records if record.value not in values)
        if kept:
            self._put(replace(rrset, records=kept), zone, "remove_records")
        else:
            self._drop(rrset, zone, "remove_records")
        return self._begun(request, "remove_rrset_records", zone)

    async def update_records(self, request: Request) -> Response:
        """Changes the comments of records that are there."""
        body = await read(request, NewRecords)
        zone, rrset = self._changeable(request)
        comments = {record.value: record.comment for record in body.records}
        records = tuple(Record(one.value, comments.get(one.value, one.comment)) for one in rrset.records)
        self._put(replace(rrset, records=records), zone, "update_records")
        action = begin(self._cloud, request, Work("update_rrset_records", (zone.ref,)))
        return answer(200, {"action": shown_action(action, self._cloud.now())})

    async def change_ttl(self, request: Request) -> Response:
        body = await read(request, TtlChange)
        zone, rrset = self._changeable(request)
        self._put(replace(rrset, ttl=body.ttl), zone, "change_ttl")
        return self._begun(request, "change_rrset_ttl", zone)

    async def change_protection(self, request: Request) -> Response:
        body = await read(request, ProtectionChange)
        zone, rrset = self._named(request)
        self._put(replace(rrset, protected=body.change), zone, "change_protection")
        return self._begun(request, "change_rrset_protection", zone)

    def _named(self, request: Request) -> tuple[Zone, RRSet]:
        zone = named(self._cloud, request)
        return zone, self._cloud.rrsets.get(zone, request.path_params["name"], request.path_params["type"])

    def _changeable(self, request: Request) -> tuple[Zone, RRSet]:
        zone, rrset = self._named(request)
        _primary(zone)
        if rrset.protected:
            raise protected(f"rrset '{rrset.id}'")
        return zone, rrset

    def _found_or_new(self, request: Request, zone: Zone, ttl: int | None) -> RRSet:
        name, kind = request.path_params["name"], request.path_params["type"]
        found = self._cloud.rrsets.find(zone, name, kind)
        if found is None:
            raw = {"name": name, "type": kind, "records": [], "ttl": ttl}
            found = new_rrset(shaped(raw, NewRRSet), zone, self._cloud.now())
            self._require_no_alias(found, zone)
        if found.protected:
            raise protected(f"rrset '{found.id}'")
        return found

    def _require_no_alias(self, rrset: RRSet, zone: Zone) -> None:
        """A name that is an alias can have nothing else."""
        others = self._cloud.rrsets.types_at(zone, rrset.name) - {rrset.type}
        if (rrset.type == "CNAME" and others) or "CNAME" in others:
            raise unprocessable(f"'{rrset.name}' cannot be {rrset.type} beside {', '.join(sorted(others))}")

    def _put(self, rrset: RRSet, zone: Zone, verb: str) -> None:
        self._cloud.rrsets.put(rrset)
        self._cloud.log.write(verb, changed_rrset(rrset, zone))

    def _drop(self, rrset: RRSet, zone: Zone, verb: str) -> None:
        if rrset.type == "SOA":
            raise unprocessable(f"zone '{zone.name}' cannot be without its SOA")
        self._cloud.rrsets.drop(rrset)
        self._cloud.log.write(verb, changed_rrset(rrset, zone))

    def _begun(self, request: Request, command: str, zone: Zone) -> Response:
        return action_answer(self._cloud, begin(self._cloud, request, Work(command, (zone.ref,))))


def _primary(zone: Zone) -> Zone:
    if zone.mode != "primary":
        raise unprocessable(f"zone '{zone.name}' is {zone.mode}", "incorrect_zone_mode")
    return zone


def _require_good(kind: str, records: Sequence[Record]) -> None:
    mistakes = mistakes_in_records(kind, records)
    if mistakes:
        raise invalid_input(mistakes)
