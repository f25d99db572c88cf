"""What one set of rules allows and another does not: for giving, and for seeing what a change would do."""

from collections.abc import Iterable, Iterator, Sequence

from setpoint.access.decision import Question, decide
from setpoint.access.permission import VERBS, Permission
from setpoint.access.rule import Grant, matches

Layers = Sequence[Sequence[Grant]]
"""Each of these has to allow it: a token's own rules, and its owner's."""


def allowed(layers: Layers, question: Question, now: float) -> bool:
    return all(decide(grants, question, now).allowed for grants in layers)


def beyond(more: Layers, others: Sequence[Layers], keys: Iterable[str], now: float) -> Iterator[Question]:
    """Whatever the first allow and none of the others does, now or when something has run out.

    Asked at every place, object and moment that any of their rules speaks of: elsewhere they are as there.
    """
    grants = [grant for layers in (more, *others) for layer in layers for grant in layer]
    moments = (now, *sorted({end for grant in grants for end in _ends(grant) if end > now}))
    for key in keys:
        here = [grant for grant in grants if any(matches(pattern, key) for pattern in grant.rule.keys)]
        for verb in VERBS:
            speaking = [grant for grant in here if verb in grant.rule.verbs]
            for asked in _questions(Permission(verb, key), speaking):
                if any(_alone(more, others, asked, moment) for moment in moments):
                    yield asked


def _alone(more: Layers, others: Sequence[Layers], asked: Question, now: float) -> bool:
    return allowed(more, asked, now) and not any(allowed(each, asked, now) for each in others)


def _questions(permission: Permission, grants: Sequence[Grant]) -> Iterator[Question]:
    """None where no rule allows it at all."""
    if not any(grant.rule.effect == "allow" for grant in grants):
        return
    scopes = sorted({where for grant in grants if (where := grant.scope) is not None}, key=str)
    names = sorted({"", *(name for grant in grants for name in grant.rule.names)})
    for scope in scopes:
        for name in names:
            yield Question(permission, scope, name)


def widest(found: Iterable[Question]) -> tuple[Question, ...]:
    """Without what a wider one says already."""
    every = tuple(found)
    return tuple(one for one in every if not any(_wider(other, one) for other in every if other != one))


def _wider(one: Question, other: Question) -> bool:
    same = one.permission == other.permission and one.name in ("", other.name)
    return same and one.scope.holds(other.scope)


def _ends(grant: Grant) -> tuple[float, float]:
    return grant.rule.until, grant.binding.until
