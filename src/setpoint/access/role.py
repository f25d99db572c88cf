"""Roles that every installation begins with, and what they and those of an organization's own allow."""

from collections.abc import Iterable, Mapping
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
SELF: Final = Role(
    name="self",
    about="a person's own token: whatever that person may",
    rules=(Rule(keys=("*",), verbs=VERBS),),
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
            Rule(keys=("project.workspace.key",), verbs=VERBS, effect="forbid"),
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
ROLES: Final = {role.name: role for role in (ADMINISTRATOR, AGENT, SELF, *SEEDED)}


RESERVED: Final = frozenset(ROLES)
"""Names that no role of an organization's own may have."""
GIVEN: Final = frozenset(role.name for role in SEEDED)
"""Those that can be given to somebody; the others are the installation's and the machines'."""
Custom = Mapping[tuple[str, str], tuple[Rule, ...]]
"""Rules of roles that organizations made themselves, by organization and name."""


def grants_of(bindings: Iterable[Binding], custom: Custom | None = None) -> tuple[Grant, ...]:
    """Every rule that reaches whoever has these roles. A role that is not there any more gives nothing."""
    return tuple(Grant(rule, binding) for binding in bindings for rule in rules_of(binding, custom or {}))


def rules_of(binding: Binding, custom: Custom) -> tuple[Rule, ...]:
    """A seeded role is the same everywhere; one of an organization's own exists in that organization only."""
    if binding.role in ROLES:
        return ROLES[binding.role].rules
    return custom.get((binding.scope.organization, binding.role), ())
