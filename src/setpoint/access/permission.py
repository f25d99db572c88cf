"""The one place where it is decided who may do what. For now there is one administrator."""

from collections.abc import Iterable
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


def approvers(tokens: Iterable[Token]) -> frozenset[str]:
    """Those among the holders of these credentials who may approve a held plan."""
    subjects = map(subject_of, tokens)
    return frozenset(s.name for s in subjects if allowed(s, Permission("execute", "plan.approve")))


def allowed(subject: Subject, permission: Permission) -> bool:
    """Administrators may do everything but speak for an agent; an agent may only report on itself."""
    if subject.role == "administrator":
        return permission.key != "agent.report"
    return permission == Permission("update", "agent.report")
