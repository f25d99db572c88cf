"""Zones and record sets."""

from typing import Any
from urllib.parse import quote

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.engine.errors import Missing
from setpoint.engine.plan import ABSENT, Absence
from setpoint.providers.hetzner.actions import Actions
from setpoint.providers.hetzner.listing import listed
from setpoint.providers.transport import Transport
from setpoint.providers.understood import understood

AnyJson = Any


class HetznerZones:
    """DNS through one project token."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._actions = Actions(transport)

    @understood
    async def zones(self) -> tuple[Zone, ...]:
        return tuple(_zone(raw) for raw in await listed(self._transport, "/zones", "zones"))

    @understood
    async def zone(self, name: str) -> Zone | Absence:
        try:
            answer = await self._transport.call("GET", f"/zones/{quote(name)}")
        except Missing:
            return ABSENT
        return _zone(answer["zone"])

    @understood
    async def create_zone(self, name: str, labels: dict[str, str]) -> None:
        body = {"name": name, "mode": "primary", "labels": labels}
        answer = await self._transport.call("POST", "/zones", body)
        await self._actions.finished(answer["action"])

    @understood
    async def delete_zone(self, name: str) -> None:
        answer = await self._transport.call("DELETE", f"/zones/{quote(name)}")
        await self._actions.finished(answer["action"])

    @understood
    async def records(self, zone: str) -> tuple[RecordSet, ...]:
        found = await listed(self._transport, f"/zones/{quote(zone)}/rrsets", "rrsets")
        return tuple(_record(raw) for raw in found)

    @understood
    async def record(self, zone: str, name: str, kind: str) -> RecordSet | Absence:
        try:
            answer = await self._transport.call("GET", _path(zone, name, kind))
        except Missing:
            return ABSENT
        return _record(answer["rrset"])

    @understood
    async def create_record(self, zone: str, record: RecordSet) -> None:
        body = {
            "name": record.name,
            "type": record.type,
            "ttl": record.ttl,
            "records": _values(record),
            "labels": record.labels,
        }
        answer = await self._transport.call("POST", f"/zones/{quote(zone)}/rrsets", body)
        await self._actions.finished(answer["action"])

    @understood
    async def change_record(self, zone: str, record: RecordSet) -> None:
        """Values last: a look that shows them shows that the rest was done."""
        path = _path(zone, record.name, record.type)
        await self._transport.call("PUT", path, {"labels": record.labels})
        answer = await self._transport.call("POST", f"{path}/actions/change_ttl", {"ttl": record.ttl})
        await self._actions.finished(answer["action"])
        answer = await self._transport.call(
            "POST", f"{path}/actions/set_records", {"records": _values(record)}
        )
        await self._actions.finished(answer["action"])

    @understood
    async def delete_record(self, zone: str, name: str, kind: str) -> None:
        answer = await self._transport.call("DELETE", _path(zone, name, kind))
        await self._actions.finished(answer["action"])


def _path(zone: str, name: str, kind: str) -> str:
    return f"/zones/{quote(zone)}/rrsets/{quote(name, safe='@*')}/{kind}"


def _values(record: RecordSet) -> list[dict[str, str]]:
    return [{"value": value} for value in record.values]


def _zone(raw: AnyJson) -> Zone:
    return Zone(id=str(raw["id"]), name=raw["name"], labels=raw["labels"])


def _record(raw: AnyJson) -> RecordSet:
    return RecordSet(
        name=raw["name"],
        type=raw["type"],
        values=tuple(sorted(entry["value"] for entry in raw["records"])),
        ttl=raw["ttl"],
        labels=raw["labels"],
    )
