"""What people declare: one file per kind, and the one list of them."""

from typing import Final

from setpoint.engine.kind import Kind, Kinds
from setpoint.kinds.dns_record import DNS_RECORD
from setpoint.kinds.dns_zone import DNS_ZONE
from setpoint.kinds.organization import ORGANIZATION
from setpoint.kinds.project import PROJECT
from setpoint.kinds.provider import PROVIDER

ALL: Final[tuple[Kind, ...]] = (ORGANIZATION, PROJECT, PROVIDER, DNS_ZONE, DNS_RECORD)


def by_name(kinds: tuple[Kind, ...] = ALL) -> Kinds:
    return {kind.name: kind for kind in kinds}
