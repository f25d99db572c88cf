"""The record sets of all zones, by zone, name and type."""

from setpoint.sim.hetzner.refusal import not_found, not_unique
from setpoint.sim.hetzner.values.rrset import RR_TYPES, RRSet
from setpoint.sim.hetzner.values.zone import Zone

Key = tuple[str, str]


class RecordSets:
    """Holds record sets; replaces them whole; one per name and type in a zone."""

    def __init__(self) -> None:
        self._zones: dict[int, dict[Key, RRSet]] = {}

    def of(self, zone: Zone) -> tuple[RRSet, ...]:
        return tuple(self._zones.get(zone.id, {}).values())

    def count(self, zone: Zone) -> int:
        """How many records a zone has, over all its sets."""
        return sum(len(rrset.records) for rrset in self.of(zone))

    def find(self, zone: Zone, name: str, kind: str) -> RRSet | None:
        return self._zones.get(zone.id, {}).get((name, kind))

    def types_at(self, zone: Zone, name: str) -> set[str]:
        """The types a name has in a zone."""
        held = self._zones.get(zone.id, {})
        return {kind for kind in RR_TYPES if (name, kind) in held}

    def get(self, zone: Zone, name: str, kind: str) -> RRSet:
        """The set of this name and type, or the API's answer that there is none."""
        found = self.find(zone, name, kind)
        if found is None:
            raise not_found(f"rrset '{name}/{kind}' of zone '{zone.name}'")
        return found

    def add(self, rrset: RRSet) -> RRSet:
        """Puts a set that must be new."""
        if (rrset.name, rrset.type) in self._zones.get(rrset.zone, {}):
            raise not_unique(f"rrset '{rrset.id}'")
        return self.put(rrset)

    def put(self, rrset: RRSet) -> RRSet:
        self._zones.setdefault(rrset.zone, {})[rrset.name, rrset.type] = rrset
        return rrset

    def drop(self, rrset: RRSet) -> None:
        """Removes a set; removing what is not there is fine."""
        self._zones.get(rrset.zone, {}).pop((rrset.name, rrset.type), None)

    def drop_all(self, zone: Zone) -> None:
        self._zones.pop(zone.id, None)
