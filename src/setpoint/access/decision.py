"""The one place where it is decided who may do what. Deny by default; a forbid wins over every allow."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from setpoint.access.permission import Permission
from setpoint.access.rule import ALONE, Grant, matches
from setpoint.engine.entity import Scope


class Question(Struct, frozen=True):
    """May this be done here, to this object? Without a name: to any object here."""

    permission: Permission
    scope: Scope
    name: str = ""

    def __str__(self) -> str:
        what = f"{self.permission} {self.name}".rstrip()
        return f"{what} in {self.scope}" if self.scope != Scope() else what


class Decision(Struct, frozen=True):
    """The answer, and the grant that gave it; none where nothing allows it."""

    allowed: bool
    by: Grant | None = None
    whose: str = ""
    """Who else has to be allowed it, where that is what decides."""

    @property
    def reason(self) -> str:
        return f"{self.whose}: {self._reason}" if self.whose else self._reason

    @property
    def _reason(self) -> str:
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


def reached(
    grants: Iterable[Grant], permission: Permission, scopes: Iterable[Scope], now: float
) -> tuple[Scope, ...]:
    """Where in these scopes it may be allowed for something: a list is then worth filtering."""
    speaking = [grant for grant in grants if _speaks_of(grant, permission, now)]
    shut = [g.scope for g in speaking if g.rule.effect == "forbid" and not g.rule.names]
    open_to = [grant.scope for grant in speaking if grant.rule.effect == "allow"]
    found = [
        where if scope.holds(where) else scope
        for scope in scopes
        for where in open_to
        if where is not None and (scope.holds(where) or where.holds(scope))
    ]
    return tuple(
        each
        for each in dict.fromkeys(found)
        if not any(where is not None and where.holds(each) for where in shut)
    )


def touches(grants: Iterable[Grant], scope: Scope, now: float) -> bool:
    """Whether one of these allows people or programs anything at all in this scope or around it."""
    return any(
        (scope.holds(where) or where.holds(scope)) and grant.holds_at(now)
        for grant in grants
        if grant.rule.effect == "allow" and grant.rule.keys != ALONE and (where := grant.scope) is not None
    )


def considered(grants: Iterable[Grant], question: Question, now: float) -> Iterator[tuple[Grant, str]]:
    """Every rule, with what keeps it from reaching this; nothing where it does reach it."""
    for grant in grants:
        yield grant, next(_obstacles(grant, question, now), "")


def _obstacles(grant: Grant, question: Question, now: float) -> Iterator[str]:
    rule, permission = grant.rule, question.permission
    if permission.verb not in rule.verbs:
        yield f"it is about {', '.join(rule.verbs)}"
    if not any(matches(pattern, permission.key) for pattern in rule.keys):
        yield f"it is about {', '.join(rule.keys)}"
    where = grant.scope
    if where is None:
        yield f"it is for {rule.project}, and the role was given for {grant.binding.scope}"
    elif not where.holds(question.scope):
        yield f"it reaches {where} only"
    if rule.names and question.name not in rule.names:
        yield f"it is about {', '.join(rule.names)} only"
    if not grant.holds_at(now):
        yield "it has run out"


def everywhere(grants: Iterable[Grant], question: Question, now: float) -> bool:
    """Whether it is allowed for all that lies in this scope: nothing there has to be asked one by one."""
    known = tuple(grants)
    doubts = (
        grant
        for grant in known
        if grant.rule.effect == "forbid" and _speaks_of(grant, question.permission, now)
    )
    scope = question.scope
    touched = any((where := each.scope) and (scope.holds(where) or where.holds(scope)) for each in doubts)
    return not touched and decide(known, question, now).allowed


def _reaches(grant: Grant, question: Question, now: float) -> bool:
    where, names = grant.scope, grant.rule.names
    if where is None or not where.holds(question.scope) or not _speaks_of(grant, question.permission, now):
        return False
    return not names or question.name in names


def _speaks_of(grant: Grant, permission: Permission, now: float) -> bool:
    rule = grant.rule
    if permission.verb not in rule.verbs or not grant.holds_at(now):
        return False
    # Asked at every request, of every rule: a loop takes less than half of what `any` takes.
    for pattern in rule.keys:  # noqa: SIM110
        if matches(pattern, permission.key):
            return True
    return False
