"""A second opinion about who may do what: written apart from the first, in other words, from the same page.

Sets instead of a search: for one question, everything that any rule allows minus everything any forbids.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from setpoint.access.decision import Question
from setpoint.access.rule import Grant, Rule
from setpoint.engine.entity import Scope


def permitted(grants: Sequence[Grant], asked: Question, now: float) -> bool:
    """Whether the allowing rules say yes and no forbidding one says no."""
    says = {"allow": False, "forbid": False}
    for grant in grants:
        if covers(grant, asked, now):
            says[grant.rule.effect] = True
    return says["allow"] and not says["forbid"]


def covers(grant: Grant, asked: Question, now: float) -> bool:
    rule, given, scope = grant.rule, grant.binding.scope, asked.scope
    verb, key = asked.permission.verb, asked.permission.key
    if verb not in rule.verbs or not any(_key(pattern, key) for pattern in rule.keys):
        return False
    if rule.names and asked.name not in rule.names:
        return False
    for end in (rule.until, grant.binding.until):
        if end and end <= now:
            return False
    place = (scope.organization, scope.project, scope.workspace)
    limits = [(given.organization, given.project, given.workspace), ("", rule.project, rule.workspace)]
    return all(limit in ("", part) for each in limits for limit, part in zip(each, place, strict=True))


def _key(pattern: str, key: str) -> bool:
    if key == "agent.report":
        return pattern == "agent.report"
    wanted, found = pattern.split("."), key.split(".")
    if wanted[-1] != "*":
        return wanted == found
    return wanted[:-1] == found[: len(wanted) - 1] and (len(found) >= len(wanted) or wanted == ["*"])


@dataclass(frozen=True)
class Given:
    """One line of a membership: a role by name, where, and the last moment it counts; 0 is for ever."""

    organization: str
    role: str
    project: str = ""
    workspace: str = ""
    until: float = 0.0


@dataclass(frozen=True)
class Somebody:
    """Everything that is written down about one person or program, before anybody made rules of it."""

    given: tuple[Given, ...]
    """Of memberships that were accepted, or of a program's token."""
    own: Given | None = None
    """The role of a token that the person made for themselves."""
    administrator: bool = False
    disabled: bool = False
    closed: tuple[str, ...] = ()
    """Organizations that are deleted."""


Lines = Mapping[tuple[str, str], Sequence[Rule]]
"""The rules of each role: those of every installation under no organization, its own under its name."""


def may(who: Somebody, roles: Lines, asked: Question, now: float) -> bool:
    """From the page: a person may what their memberships say, and their token what both of them say."""
    if who.disabled:
        return False
    theirs = [one for one in who.given if one.organization not in who.closed]
    if who.administrator:
        theirs.append(Given("", "administrator"))
    if not _says_yes(theirs, roles, asked, now):
        return False
    return who.own is None or _says_yes([who.own], roles, asked, now)


def belongs(who: Somebody, roles: Lines, scope: Scope, now: float) -> bool:
    """Has a role that allows something here, in what lies here, or in what this lies in."""
    theirs = [one for one in who.given if one.organization not in who.closed]
    layers = [theirs] if who.own is None else [theirs, [who.own]]
    return all(
        any(
            _meet(one, rule, scope) and rule.effect == "allow" and "agent.report" not in rule.keys
            for one in layer
            for rule in roles.get(("", one.role)) or roles.get((one.organization, one.role)) or ()
            if all(end == 0 or now < end for end in (one.until, rule.until))
        )
        for layer in layers
    )


def _meet(one: Given, rule: Rule, scope: Scope) -> bool:
    """Whether there is a place that both are about: no two of the names contradict each other."""
    names = [(scope.organization, one.organization)]
    names += [(scope.project, one.project), (scope.project, rule.project), (one.project, rule.project)]
    names += [(scope.workspace, one.workspace), (scope.workspace, rule.workspace)]
    names += [(one.workspace, rule.workspace)]
    return all("" in pair or len(set(pair)) == 1 for pair in names)


def _says_yes(given: Iterable[Given], roles: Lines, asked: Question, now: float) -> bool:
    yes = no = False
    for one in given:
        for rule in roles.get(("", one.role)) or roles.get((one.organization, one.role)) or ():
            if _counts(one, rule, asked, now):
                yes, no = yes or rule.effect == "allow", no or rule.effect == "forbid"
    return yes and not no


def _counts(one: Given, rule: Rule, asked: Question, now: float) -> bool:
    here = (asked.scope.organization, asked.scope.project, asked.scope.workspace)
    wanted = [(one.organization, one.project, one.workspace), ("", rule.project, rule.workspace)]
    return (
        all(part in ("", at) for each in wanted for part, at in zip(each, here, strict=True))
        and asked.permission.verb in rule.verbs
        and any(_key(pattern, asked.permission.key) for pattern in rule.keys)
        and (not rule.names or asked.name in rule.names)
        and all(end == 0 or now < end for end in (one.until, rule.until))
    )
