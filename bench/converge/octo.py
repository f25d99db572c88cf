"""octoDNS with a provider for the same API: it plans a zone and applies the plan, call after call."""

import logging
from itertools import count
from typing import Any

from octodns.provider.base import BaseProvider
from octodns.record import Record
from octodns.zone import Zone

from bench.converge.cloud import ADDRESS, TOKEN, TTL, Cloud, posted
from bench.process import Caller
from bench.trial import Trial

logging.disable()


def sync(size: int) -> Trial:
    cloud = Cloud()
    numbers = count()
    target = Target(Caller(cloud.url, TOKEN))
    zones = (f"o{number}.example" for number in numbers)

    def run() -> str:
        """From records that were read to the last of them at the cloud."""
        zone = upcoming[0]
        desired = Zone(f"{zone}.", [])
        for number in range(size):
            data = {"type": "A", "ttl": TTL, "values": [ADDRESS]}
            desired.add_record(Record.new(desired, f"r{number}", data))
        plan = target.plan(desired)
        target.apply(plan)
        return zone

    upcoming = [next(zones)]
    cloud.made_zone(upcoming[0])

    def counts(zone: str) -> dict[str, int]:
        upcoming[0] = next(zones)
        cloud.made_zone(upcoming[0])
        return {"records": cloud.right(zone)}

    return Trial(run, counts, close=cloud.close)


class Target(BaseProvider):
    """Record sets behind the simulator's API."""

    SUPPORTS_GEO = False
    SUPPORTS_DYNAMIC = False
    SUPPORTS = frozenset({"A"})
    log = logging.getLogger("target")

    def __init__(self, caller: Caller) -> None:
        super().__init__("target")
        self._caller = caller

    def populate(self, zone: Zone, target: bool = False, lenient: bool = False) -> bool:
        page: int | None = 1
        while page is not None:
            path = f"/v1/zones/{zone.name[:-1]}/rrsets?per_page=50&page={page}"
            said = self._caller.call("GET", path)
            for rrset in said["rrsets"]:
                self._add(zone, rrset, lenient=lenient)
            page = said["meta"]["pagination"]["next_page"]
        return True

    def _add(self, zone: Zone, rrset: Any, *, lenient: bool) -> None:
        if rrset["type"] in self.SUPPORTS:
            values = [each["value"] for each in rrset["records"]]
            data = {"type": rrset["type"], "ttl": rrset["ttl"], "values": values}
            zone.add_record(Record.new(zone, rrset["name"], data, source=self, lenient=lenient))

    def _apply(self, plan: Any) -> None:
        for change in plan.changes:
            self._caller.call("POST", f"/v1/zones/{plan.desired.name[:-1]}/rrsets", posted(change.new.name))
