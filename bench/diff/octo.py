"""octoDNS planning one zone: it fills a zone from a target that does no I/O, then compares."""

import logging
from typing import Any

from octodns.provider.base import BaseProvider
from octodns.record import Record
from octodns.zone import Zone

from bench.diff import records
from bench.diff.drift import Drift
from bench.trial import Counts, Trial

Sent = tuple[str, dict[str, Any]]

logging.disable()  # What it would say of each record is no part of planning.


def plan(size: int) -> Trial:
    drift = Drift(size)
    desired = Zone("example.org.", [])
    for number in drift.declared:
        desired.add_record(Record.new(desired, *_sent(number, records.TTL)))
    changed = drift.changed
    target = Target([_sent(i, records.OTHER_TTL if i in changed else records.TTL) for i in drift.observed()])
    return Trial(lambda: target.plan(desired), _counts)


class Target(BaseProvider):
    """Has these records, decoded already."""

    SUPPORTS_GEO = False
    SUPPORTS_DYNAMIC = False
    SUPPORTS = frozenset({"A"})
    log = logging.getLogger("target")

    def __init__(self, found: list[Sent]) -> None:
        super().__init__("target")
        self._found = found

    def populate(self, zone: Zone, target: bool = False, lenient: bool = False) -> bool:
        for name, data in self._found:
            zone.add_record(Record.new(zone, name, data, source=self, lenient=lenient), lenient=lenient)
        return True

    def _apply(self, plan: object) -> None:
        raise NotImplementedError("this target is only planned for")


def _sent(number: int, ttl: int) -> Sent:
    values = list(reversed(records.addresses_of(number)))
    return records.name_of(number), {"type": "A", "ttl": ttl, "values": values}


def _counts(found: Any) -> Counts:
    return {verb: found.change_counts[verb.capitalize()] for verb in ("create", "update", "delete")}
