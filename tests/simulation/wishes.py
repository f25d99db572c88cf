"""What people were told is declared: whatever becomes of the world, this is what it must come to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from setpoint.engine.entity import Declared

AnyJson = Any
GROWN = "cx32"


@dataclass
class Wishes:
    """What was acknowledged."""

    records: dict[int, str] = field(default_factory=dict)
    hosts: dict[str, dict[str, AnyJson]] = field(default_factory=dict)
    group: int | None = None


def declared_in(rows: Iterable[Declared]) -> Wishes:
    """What these rows declare, as if it had been acknowledged just now."""
    wishes = Wishes()
    for row in rows:
        if row.deleting:
            continue
        if row.kind == "dns_record":
            number, value = record_in(row.spec)
            wishes.records[number] = value
        elif row.kind == "host" and row.parent is None:
            wishes.hosts[row.name] = host_in(row.spec)
        elif row.kind == "scaling_group":
            wishes.group = row.spec["desired"]
    return wishes


def record_in(spec: AnyJson) -> tuple[int, str]:
    """Its number and its value."""
    return int(spec["name"].removeprefix("r")), spec["values"][0]


def host_in(spec: AnyJson) -> dict[str, AnyJson]:
    """As people would have said it: the usual size is not mentioned."""
    grown = {"size": GROWN} if spec["size"] == GROWN else {}
    return {"agent": spec["agent"], "image": spec["image"], **grown}
