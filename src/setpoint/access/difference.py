"""What one set of rules allows and another does not: for giving, and for seeing what a change would do.

A rule holds from now until it ends. So what several rules say of one object is one span of time: it begins
when the last forbid has run out, and ends with the last allow. Spans are compared instead of moments, and an
object is asked about only at places that a rule naming it reaches: elsewhere it is like any other.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Final

from msgspec import Struct

from setpoint.access.decision import Question
from setpoint.access.permission import VERBS, Permission
from setpoint.access.rule import Grant, matches
from setpoint.engine.entity import Scope

Layers = Sequence[Sequence[Grant]]
"""Each of these has to allow it: a token's own rules, and its owner's."""
Span = tuple[float, float]
"""When the last forbid has run out, and when the last allow has."""
NEVER: Final[Span] = (-inf, -inf)


class _Reach(Struct, frozen=True):
    """One rule that has not run out: where it holds, until when, and which layer of which set it is in."""

    grant: Grant
    scope: Scope
    end: float
    layer: int


def beyond(more: Layers, others: Sequence[Layers], keys: Iterable[str], now: float) -> Iterator[Question]:
    """Whatever the first allow and none of the others does, now or when something has run out."""
    for found in steps(more, others, keys, now):
        yield from found


def steps(
    more: Layers, others: Sequence[Layers], keys: Iterable[str], now: float
) -> Iterator[Sequence[Question]]:
    """The same, verb by verb and place by place: a caller may do something else after each.

    Wider questions come before narrower ones.
    """
    sets = (more, *others)
    parts: list[range] = []
    reaches: list[_Reach] = []
    number = 0
    for layers in sets:
        parts.append(range(number, number + len(layers)))
        for layer in layers:
            reaches += _reaching(layer, number, now)
            number += 1
    quiet: set[tuple[int, ...]] = set()
    for key in keys:
        here = [each for each in enumerate(reaches) if any(matches(p, key) for p in each[1].grant.rule.keys)]
        for verb in VERBS:
            speaking = [(at, each) for at, each in here if verb in each.grant.rule.verbs]
            spoken = tuple(at for at, _ in speaking)
            if spoken in quiet or not any(_allows(each) and each.layer in parts[0] for _, each in speaking):
                continue
            rules, silent = [each for _, each in speaking], True
            for scope in sorted({each.scope for each in rules}, key=str):
                names = _beyond_at(scope, rules, parts, now)
                silent = silent and not names
                yield [Question(Permission(verb, key), scope, name) for name in names]
            if silent:  # Another permission of which the same rules speak has the same answer.
                quiet.add(spoken)


def widest(found: Iterable[Question]) -> Iterator[Question]:
    """Without what a wider one says already, which came before."""
    kept: set[Question] = set()
    for one in found:
        wider = (Question(one.permission, s, n) for s in one.scope.outwards() for n in ("", one.name))
        if kept.isdisjoint(wider):
            kept.add(one)
            yield one


def _reaching(layer: Sequence[Grant], number: int, now: float) -> Iterator[_Reach]:
    for grant in layer:
        end = min(grant.rule.until or inf, grant.binding.until or inf)
        if (scope := grant.scope) is not None and end > now:
            yield _Reach(grant, scope, end, number)


def _allows(reach: _Reach) -> bool:
    return reach.grant.rule.effect == "allow"


def _beyond_at(scope: Scope, rules: Iterable[_Reach], parts: Sequence[range], now: float) -> list[str]:
    """The names at this place, empty for any object, of which only the first set allows something."""
    spans: list[Span] = [NEVER] * parts[-1].stop
    named: dict[str, dict[int, Span]] = {}
    for each in rules:
        if not each.scope.holds(scope):
            continue
        if not each.grant.rule.names:
            spans[each.layer] = _later(spans[each.layer], each)
        for name in each.grant.rule.names:
            of = named.setdefault(name, {})
            of[each.layer] = _later(of.get(each.layer, NEVER), each)
    found = [""] if _is_beyond(spans, parts, now) else []
    for name, own in sorted(named.items()):
        joined = list(spans)
        for layer, (shut, open_) in own.items():
            joined[layer] = (max(shut, joined[layer][0]), max(open_, joined[layer][1]))
        if _is_beyond(joined, parts, now):
            found.append(name)
    return found


def _later(span: Span, reach: _Reach) -> Span:
    shut, open_ = span
    return (shut, max(open_, reach.end)) if _allows(reach) else (max(shut, reach.end), open_)


def _is_beyond(spans: Sequence[Span], parts: Sequence[range], now: float) -> bool:
    """Whether some moment lies in the span of the first set, and in none of the others'."""
    first, *rest = [
        (max(now, *(spans[n][0] for n in part)), min(spans[n][1] for n in part)) for part in parts
    ]
    begin, end = first
    for begins, ends in sorted(rest):
        if begins > begin:
            break
        begin = max(begin, ends)
    return begin < end
