"""What there is to be allowed: five verbs on keys, `update` on `project.dns_zone`."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

from msgspec import Struct

from setpoint.engine.kind import Kind, Kinds, Level

Verb = Literal["read", "create", "update", "delete", "execute"]
VERBS: Final[tuple[Verb, ...]] = get_args(Verb)
PREFIXES: Final[dict[Level, str]] = {
    "installation": "",
    "organization": "organization.",
    "project": "project.",
    "workspace": "project.workspace.",
}


class Permission(Struct, frozen=True):
    """What a route demands."""

    verb: Verb
    key: str

    def __str__(self) -> str:
        return f"{self.verb} {self.key}"


OTHERS: Final[dict[str, str]] = {
    "organization.plan": "held plans and dry runs",
    "organization.plan.approve": "the answer to a held plan",
    "organization.switch": "levers that stop or slow everything below them",
    "organization.task": "long work and its progress",
    "organization.event": "what happened, as a list or a stream",
    "organization.pass": "recorded passes, replayed and rehearsed",
    "organization.audit": "the evidence of who did what",
    "organization.token": "credentials for people and programs",
    "organization.billing": "invoices, spending and what is agreed about them",
    "organization.payment_method": "how an organization pays",
    "organization.authentication_provider": "where people of an organization sign in, other than here",
    "organization.membership_invite": "invitations to those whom a membership is for",
    "organization.standing": "how an organization stands with whoever runs the installation",
    "project.workspace.key": "credentials that reach one workspace",
    "organization.secret": "sealed secrets: their names and versions, never what they say",
    "organization.secret.use": "naming a secret in a declaration, or moving what names one to another host",
    "organization.access": "who may do what, asked about others",
    "account": "people of this installation",
    "account.letter": "what was written to them, with links that open accounts",
    "catalog": "kinds, loops and guards of this installation",
    "agent.report": "an agent's word about its own host",
}
"""Keys of what is not a kind. Agents alone may report; no pattern but its own name reaches that key."""


def key_of(kind: Kind) -> str:
    """`project.workspace.host`: a kind's key is its place and its name."""
    return f"{PREFIXES[kind.level]}{kind.name}"


def keys(kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Every key there is, with what it governs."""
    for kind in kinds.values():
        yield key_of(kind), kind.about
    yield from OTHERS.items()
