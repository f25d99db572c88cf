"""Roles that every installation begins with, and what they allow."""

from collections.abc import Iterable
from typing import Final

import msgspec

from setpoint.access.permission import VERBS
from setpoint.access.rule import Binding, Grant, Rule


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of rules."""

    name: str
    about: str
    rules: tuple[Rule, ...]


MONEY: Final = ("organization.billing", "organization.payment_method")
PEOPLE: Final = (
    "organization.membership",
    "organization.membership_invite",
    "organization.role",
    "organization.authentication_provider",
    "organization.token",
)
RUNNING: Final = (
    "organization.plan",
    "organization.task",
    "organization.event",
    "organization.pass",
    "catalog",
)
"""What anybody needs to follow their own work."""

ADMINISTRATOR: Final = Role(
    name="administrator",
    about="runs this installation: everything, in every organization",
    rules=(Rule(keys=("*",), verbs=VERBS),),
)
AGENT: Final = Role(
    name="agent",
    about="a machine of the fleet: reports on its own host, and nothing else",
    rules=(Rule(keys=("agent.report",), verbs=("update",)),),
)
SEEDED: Final[tuple[Role, ...]] = (
    Role(name="owner", about="everything in the organization", rules=(Rule(keys=("*",), verbs=VERBS),)),
    Role(
        name="admin",
        about="everything but money and the end of the organization",
        rules=(
            Rule(keys=("*",), verbs=VERBS),
            Rule(keys=MONEY, verbs=VERBS, effect="forbid"),
            Rule(keys=("organization",), verbs=("create", "delete"), effect="forbid"),
        ),
    ),
    Role(
        name="operator",
        about="infrastructure, held plans and levers; no people, no money",
        rules=(
            Rule(keys=("*",), verbs=("read",)),
            Rule(keys=("organization.*", "project.*"), verbs=("create", "update", "delete", "execute")),
            Rule(keys=(*MONEY, *PEOPLE), verbs=VERBS, effect="forbid"),
            Rule(keys=("organization.audit",), verbs=("read",), effect="forbid"),
        ),
    ),
    Role(
        name="member",
        about="declares and changes what lies in projects; deletes and approves nothing",
        rules=(
            Rule(keys=("organization", "organization.project", "project.*", *RUNNING), verbs=("read",)),
            Rule(keys=("organization.provider", "organization.notification_channel"), verbs=("read",)),
            Rule(keys=("project.*",), verbs=("create", "update")),
        ),
    ),
    Role(
        name="auditor", about="reads everything, changes nothing", rules=(Rule(keys=("*",), verbs=("read",)),)
    ),
    Role(
        name="billing",
        about="money, and nothing of the infrastructure",
        rules=(Rule(keys=("organization", "catalog"), verbs=("read",)), Rule(keys=MONEY, verbs=VERBS)),
    ),
)
ROLES: Final = {role.name: role for role in (ADMINISTRATOR, AGENT, *SEEDED)}


def grants_of(bindings: Iterable[Binding]) -> tuple[Grant, ...]:
    """Every rule that reaches whoever has these roles. A role that is not there any more gives nothing."""
    return tuple(
        Grant(rule, binding)
        for binding in bindings
        if binding.role in ROLES
        for rule in ROLES[binding.role].rules
    )
