"""The one place where it is decided who may do what. For now there is one administrator."""

from dataclasses import dataclass
from typing import Literal

from setpoint.engine.entity import Ref
from setpoint.engine.rows import Token

Verb = Literal["read", "create", "update", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is asking, as the credential says."""

    name: str
    role: Literal["administrator", "agent"]
    ref: Ref | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """What a route demands: a verb on a key, `update` on `dns_zone`."""

    verb: Verb
    key: str


def subject_of(token: Token) -> Subject:
    return Subject(token.subject, token.role, token.ref)


def allowed(subject: Subject, permission: Permission) -> bool:
    """Administrators may do everything but speak for an agent; an agent may only report on itself."""
    if subject.role == "administrator":
        return permission.key != "agent.report"
    return permission == Permission("update", "agent.report")
