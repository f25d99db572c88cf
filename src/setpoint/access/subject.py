"""Who is asking, as the credential says, and what they may."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from setpoint.access.decision import Decision, Question, decide, somewhere
from setpoint.access.permission import VERBS, Permission
from setpoint.access.role import grants_of
from setpoint.access.rule import Binding, Grant
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.token import Token

APPROVE: Final = Permission("execute", "organization.plan.approve")


@dataclass(frozen=True, slots=True)
class Subject:
    """One person, program or agent."""

    name: str
    grants: tuple[Grant, ...]
    credential: str
    """The hash of what they showed."""
    ref: Ref | None = None

    def may(self, permission: Permission, scope: Scope, now: float, name: str = "") -> Decision:
        return decide(self.grants, Question(permission, scope, name), now)

    def may_somewhere(self, permission: Permission, scope: Scope, now: float) -> bool:
        """Whether there may be something in this scope that they may do this to."""
        return somewhere(self.grants, Question(permission, scope), now)

    def exceeded_by(self, bindings: Iterable[Binding], keys: Iterable[str], now: float) -> Question | None:
        """The first thing that these roles allow and this subject may not do: nobody gives what they lack."""
        given = grants_of(bindings)
        for scope in dict.fromkeys(where for grant in given if (where := grant.scope) is not None):
            for key in keys:
                for verb in VERBS:
                    asked = Question(Permission(verb, key), scope)
                    if decide(given, asked, now).allowed and not decide(self.grants, asked, now).allowed:
                        return asked
        return None


def subject_of(token: Token) -> Subject:
    binding = Binding(role=token.role, scope=token.scope)
    return Subject(token.subject, grants_of((binding,)), token.hash, token.ref)


def approvers(tokens: Iterable[Token], scope: Scope, now: float) -> frozenset[str]:
    """Those among the holders of these credentials who may approve a plan that is held in this scope."""
    found = (subject_of(token) for token in tokens if token.holds_at(now))
    return frozenset(subject.name for subject in found if subject.may(APPROVE, scope, now).allowed)
