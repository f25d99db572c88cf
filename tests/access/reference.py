"""A second opinion about who may do what: written apart from the first, in other words, from the same page.

Sets instead of a search: for one question, everything that any rule allows minus everything any forbids.
"""

from collections.abc import Sequence

from setpoint.access.decision import Question
from setpoint.access.rule import Grant


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
