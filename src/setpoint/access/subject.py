"""Who is asking, as the credential says, and what they may."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.access.decision import Decision, Question, decide, everywhere, reached, touches
from setpoint.access.permission import Permission
from setpoint.access.role import Custom, grants_of
from setpoint.access.rule import Binding, Grant
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.token import Token

DEEPEST: Final = len(Scope.__struct_fields__)
RUNS_IT: Final = Question(Permission("update", "organization"), Scope())
"""Only whoever runs the installation may do this everywhere."""
APPROVE: Final = Permission("execute", "organization.plan.approve")


class Subject(Struct, frozen=True):
    """One person, program or agent."""

    name: str
    grants: tuple[Grant, ...]
    credential: str
    """The hash of what they showed."""
    ref: Ref | None = None
    within: tuple[Grant, ...] | None = None
    """For a token that somebody made for themselves: their own rules, which must allow it too."""
    account: str = ""
    """The person's, where it is one."""
    person: str = ""
    """At the root of who made the credential: whoever made it could have used it."""
    approves: bool = True
    """Whether it may say yes to held plans where its rules allow that; a token only where it was told so."""

    @property
    def layers(self) -> tuple[tuple[Grant, ...], ...]:
        """Each of them has to allow what is done."""
        return (self.grants,) if self.within is None else (self.grants, self.within)

    def may(self, permission: Permission, scope: Scope, now: float, name: str = "") -> Decision:
        return self.decide(Question(permission, scope, name), now)

    def decide(self, question: Question, now: float) -> Decision:
        if question.permission == APPROVE and not self.approves:
            return Decision(allowed=False, whose="made without may_approve")
        said = decide(self.grants, question, now)
        if not said.allowed or self.within is None:
            return said
        owner = decide(self.within, question, now)
        return said if owner.allowed else replace(owner, whose="whoever made the token")

    def may_somewhere(self, permission: Permission, scope: Scope, now: float, deepest: int = DEEPEST) -> bool:
        """Whether there may be something in this scope that they may do this to.

        `deepest` is how deep such objects lie: a role in one project reaches no provider of the organization.
        """
        scopes: tuple[Scope, ...] = (scope,)
        # Once more from the first: what one of them forbids may lie where only another has narrowed it to.
        for grants in (*self.layers, *self.layers[:-1]):
            scopes = reached(grants, permission, scopes, now)
        return any(each.depth <= deepest for each in scopes)

    def belongs(self, scope: Scope, now: float) -> bool:
        """Whether a role of theirs lies in this scope or around it, so that its existence is no news to them.

        Decided by roles alone, never by what is declared: the answer gives nothing away to a stranger.
        """
        return all(touches(grants, scope, now) for grants in self.layers)

    def may_everywhere(self, permission: Permission, scope: Scope, now: float) -> bool:
        """Whether they may do this to whatever is in this scope."""
        return all(everywhere(grants, Question(permission, scope), now) for grants in self.layers)


def subject_of(token: Token, custom: Custom | None = None) -> Subject:
    """What a token says by itself: all there is to one that is nobody's own."""
    grants = grants_of((Binding(role=token.role, scope=token.scope),), custom)
    return Subject(
        token.subject, grants, token.hash, token.ref, person=token.person, approves=token.may_approve
    )


def subject_of_own(token: Token, owner: Subject, custom: Custom | None = None) -> Subject:
    """A token that somebody made for themselves acts under their name, and never does what they may not."""
    grants = grants_of((Binding(role=token.role, scope=token.scope),), custom)
    return replace(
        owner, grants=grants, credential=token.hash, within=owner.grants, approves=token.may_approve
    )
