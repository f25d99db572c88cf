"""What one set of rules allows and others do not: the same as asking every moment, place and name in turn."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as some

from access.reference import permitted
from access.test_second_opinion import rules
from setpoint.access.decision import Question
from setpoint.access.difference import beyond, steps, widest
from setpoint.access.permission import VERBS, Permission
from setpoint.access.rule import Binding, Grant, Rule
from setpoint.engine.entity import Scope

NOW = 1_000.0
KEYS = ("organization.membership", "project.dns_zone")
ENDS = (0.0, NOW - 1, NOW, NOW + 1, NOW + 2)
PLACES = (Scope(), Scope("a"), Scope("a", "x"), Scope("a", "x", "y"), Scope("a", "y"), Scope("b"))


@some.composite
def grants(draw: some.DrawFn) -> Grant:
    rule = draw(rules())
    rule = Rule(
        keys=rule.keys,
        verbs=rule.verbs,
        effect=rule.effect,
        project=rule.project,
        workspace=rule.workspace,
        names=tuple(draw(some.lists(some.sampled_from(("one", "two")), max_size=2))),
        until=draw(some.sampled_from(ENDS)),
    )
    scope = draw(some.sampled_from((Scope("a"), Scope("a", "x"), Scope("b"))))
    return Grant(rule, Binding(role="r", scope=scope, until=draw(some.sampled_from(ENDS))))


LAYERS = some.lists(some.lists(grants(), max_size=4), min_size=1, max_size=2)


@settings(max_examples=150, deadline=None)
@given(LAYERS, some.lists(LAYERS, min_size=1, max_size=2))
def test_spans_say_what_every_moment_says(more: list[list[Grant]], others: list[list[list[Grant]]]) -> None:
    found = set(beyond(more, others, KEYS, NOW))
    for verb, key, scope, name in product(VERBS, KEYS, PLACES, ("", "one", "two", "three")):
        asked = Question(Permission(verb, key), scope, name)
        moments = [end for end in ENDS if end >= NOW]
        alone = any(
            all(permitted(layer, asked, at) for layer in more)
            and not any(all(permitted(layer, asked, at) for layer in layers) for layers in others)
            for at in moments
        )
        if asked in found:
            assert alone, asked
        if alone:  # Said by itself, or by what is around it.
            wider = {Question(asked.permission, s, n) for s in scope.outwards() for n in ("", name)}
            assert wider & found, asked


def test_the_widest_comes_first_and_is_kept_alone() -> None:
    everywhere, here = Question(Permission("read", "k"), Scope("a")), Scope("a", "x")
    found = [everywhere, Question(everywhere.permission, here), Question(everywhere.permission, here, "one")]
    assert list(widest(found)) == [everywhere]
    assert list(widest(found[1:])) == found[1:2]


def test_no_step_grows_with_more_than_the_names_of_one_person() -> None:
    """A hundred rules of a hundred names: one step for each verb and place, and not one for each pair."""
    heavy = [
        Grant(
            Rule(keys=("*",), verbs=VERBS, names=tuple(f"n{n}-{m}" for m in range(100)), until=NOW + n + 1),
            Binding(role="heavy", scope=Scope("a")),
        )
        for n in range(100)
    ]
    everything = [Grant(Rule(keys=("*",), verbs=VERBS), Binding(role="owner", scope=Scope("a")))]
    assert [list(step) for step in steps([heavy], [[everything]], KEYS, NOW)] == [[]]
    lacking = list(steps([heavy], [[[]]], KEYS[:1], NOW))
    assert [len(step) for step in lacking] == [10_000] * len(VERBS)
