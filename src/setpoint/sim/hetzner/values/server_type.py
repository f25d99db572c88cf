"""Server types: the sizes a server can have."""

from collections.abc import Mapping
from functools import cache
from typing import Literal

import msgspec

from setpoint.sim.hetzner.values.location import LOCATIONS, Location

Architecture = Literal["x86", "arm"]
_GROSS = 1.19
_HOURS_OF_A_MONTH = 624
_TRAFFIC = 20 * 2**40


class ServerType(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    cores: int
    memory: float
    disk: int
    monthly: float
    architecture: Architecture = "x86"
    cpu_type: Literal["shared", "dedicated"] = "shared"
    category: str = "cost_optimized"


SERVER_TYPES = (
    ServerType(id=22, name="cpx11", cores=2, memory=2.0, disk=40, monthly=4.35),
    ServerType(id=23, name="cpx21", cores=3, memory=4.0, disk=80, monthly=7.55),
    ServerType(id=24, name="cpx31", cores=4, memory=8.0, disk=160, monthly=13.6),
    ServerType(id=45, name="cax11", cores=2, memory=4.0, disk=40, monthly=3.79, architecture="arm"),
    ServerType(id=93, name="cax21", cores=4, memory=8.0, disk=80, monthly=6.49, architecture="arm"),
    ServerType(id=104, name="cx22", cores=2, memory=4.0, disk=40, monthly=3.79),
    ServerType(id=105, name="cx32", cores=4, memory=8.0, disk=80, monthly=6.8),
    ServerType(id=106, name="cx42", cores=8, memory=16.0, disk=160, monthly=16.4),
    ServerType(id=114, name="cx23", cores=2, memory=4.0, disk=40, monthly=3.49),
    ServerType(id=115, name="cx33", cores=4, memory=8.0, disk=80, monthly=5.49),
    ServerType(
        id=96,
        name="ccx13",
        cores=2,
        memory=8.0,
        disk=80,
        monthly=12.49,
        cpu_type="dedicated",
        category="general_purpose",
    ),
)


@cache
def shown(kind: ServerType) -> Mapping[str, object]:
    """A server type as the API writes it; the same object every time, so not to be changed."""
    return {
        "id": kind.id,
        "name": kind.name,
        "description": kind.name.upper(),
        "category": kind.category,
        "cores": kind.cores,
        "memory": kind.memory,
        "disk": kind.disk,
        "deprecated": False,
        "deprecation": None,
        "storage_type": "local",
        "cpu_type": kind.cpu_type,
        "architecture": kind.architecture,
        "prices": [_prices(kind, location.name) for location in LOCATIONS],
        "locations": [_sold_at(location) for location in LOCATIONS],
    }


def _prices(kind: ServerType, location: str) -> dict[str, object]:
    return {
        "location": location,
        "price_hourly": _price(kind.monthly / _HOURS_OF_A_MONTH),
        "price_monthly": _price(kind.monthly),
        "included_traffic": _TRAFFIC,
        "price_per_tb_traffic": _price(1.0),
    }


def _sold_at(location: Location) -> dict[str, object]:
    # The SDK insists on the last two, which the specification does not know.
    return {
        "id": location.id,
        "name": location.name,
        "deprecation": None,
        "available": True,
        "recommended": True,
    }


def _price(net: float) -> dict[str, str]:
    return {"net": f"{net:.10f}", "gross": f"{net * _GROSS:.10f}"}
