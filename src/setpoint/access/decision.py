"""The one place where it is decided who may do what. Deny by default; a forbid wins over every allow."""

from collections.abc import Iterable
from dataclasses import dataclass

from setpoint.access.permission import Permission
from setpoint.access.rule import Grant, matches
from setpoint.engine.entity import Scope


@dataclass(frozen=True, slots=True)
class Question:
    """May this be done here, to this object? Without a name: to any object here."""

    permission: Permission
    scope: Scope
    name: str = ""

    def __str__(self) -> str:
        what = f"{self.permission} {self.name}".rstrip()
        return f"{what} in {self.scope}" if self.scope != Scope() else what


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer, and the grant that gave it; none where nothing allows it."""

    allowed: bool
    by: Grant | None = None

    @property
    def reason(self) -> str:
        if self.by is None:
            return "no rule allows it"
        rule, binding = self.by.rule, self.by.binding
        said = f"role {binding.role}"
        said += f" in {self.by.scope}" if self.by.scope != Scope() else ""
        return f"{said} {rule.effect}s {', '.join(rule.verbs)} of {', '.join(rule.keys)}"


def decide(grants: Iterable[Grant], question: Question, now: float) -> Decision:
    """The first forbid that reaches this, else the first allow, else no."""
    reaching = [grant for grant in grants if _reaches(grant, question, now)]
    forbid = next((grant for grant in reaching if grant.rule.effect == "forbid"), None)
    if forbid is not None:
        return Decision(allowed=False, by=forbid)
    allow = next(iter(reaching), None)
    return Decision(allowed=allow is not None, by=allow)


def somewhere(grants: Iterable[Grant], question: Question, now: float) -> bool:
    """Whether it may be allowed for anything that lies in this scope: a list is then worth filtering."""
    return any(
        grant.rule.effect == "allow"
        and (where := grant.scope) is not None
        and (question.scope.holds(where) or where.holds(question.scope))
        and _speaks_of(grant, question.permission, now)
        for grant in grants
    )


def _reaches(grant: Grant, question: Question, now: float) -> bool:
    where, names = grant.scope, grant.rule.names
    if where is None or not where.holds(question.scope) or not _speaks_of(grant, question.permission, now):
        return False
    return not names or question.name in names


def _speaks_of(grant: Grant, permission: Permission, now: float) -> bool:
    rule = grant.rule
    return (
        permission.verb in rule.verbs
        and any(matches(pattern, permission.key) for pattern in rule.keys)
        and grant.holds_at(now)
    )
