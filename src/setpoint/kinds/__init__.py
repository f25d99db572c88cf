"""What people declare: one file per kind, and the one list of them."""

from typing import Final

from setpoint.engine.kind import Kind, Kinds
from setpoint.kinds.agent import AGENT
from setpoint.kinds.dns_record import DNS_RECORD
from setpoint.kinds.dns_zone import DNS_ZONE
from setpoint.kinds.host import HOST
from setpoint.kinds.membership import MEMBERSHIP
from setpoint.kinds.monitoring_object import MONITORING_OBJECT
from setpoint.kinds.notification_channel import NOTIFICATION_CHANNEL
from setpoint.kinds.organization import ORGANIZATION
from setpoint.kinds.project import PROJECT
from setpoint.kinds.provider import PROVIDER
from setpoint.kinds.role import ROLE
from setpoint.kinds.scaling_group import SCALING_GROUP
from setpoint.kinds.webhook import WEBHOOK
from setpoint.kinds.workspace import WORKSPACE

ALL: Final[tuple[Kind, ...]] = (
    ORGANIZATION,
    PROJECT,
    PROVIDER,
    DNS_ZONE,
    DNS_RECORD,
    WORKSPACE,
    HOST,
    AGENT,
    SCALING_GROUP,
    MONITORING_OBJECT,
    NOTIFICATION_CHANNEL,
    WEBHOOK,
    ROLE,
    MEMBERSHIP,
)


def by_name(kinds: tuple[Kind, ...] = ALL) -> Kinds:
    return {kind.name: kind for kind in kinds}
