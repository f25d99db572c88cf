"""The difference between two sets of items, and the digest that names it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.plan import (
    ABSENT,
    DESTRUCTIVE,
    SYMBOLS,
    UNKNOWN,
    Absence,
    Action,
    Verb,
    diff,
    digest,
    ordered,
    sizes,
)

ITEMS = st.text("abcdef", min_size=1, max_size=2)
VALUES = st.one_of(
    st.integers(), st.text(max_size=3), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)
)
DESIRED = st.dictionaries(ITEMS, VALUES, max_size=8)
ACTUAL = st.dictionaries(ITEMS, st.one_of(VALUES, st.sampled_from(Absence)), max_size=8)
ACTIONS = st.lists(
    st.builds(Action, verb=st.sampled_from(Verb), item=ITEMS, before=VALUES, after=VALUES), max_size=8
)


def applied(actions: tuple[Action, ...], actual: dict[str, Any]) -> dict[str, Any]:
    """The world after these changes."""
    world = {item: value for item, value in actual.items() if value is not ABSENT}
    for action in actions:
        if action.verb is Verb.DELETE:
            del world[action.item]
        else:
            world[action.item] = action.after
    return world


@given(DESIRED)
def test_what_is_as_declared_needs_nothing(desired: dict[str, Any]) -> None:
    assert diff(desired, desired) == ()


@given(DESIRED, ACTUAL)
def test_applying_the_difference_gives_what_is_declared(
    desired: dict[str, Any], actual: dict[str, Any]
) -> None:
    known = {item: value for item, value in actual.items() if value is not UNKNOWN}
    assert applied(diff(desired, known), known) == desired


@given(DESIRED, ACTUAL)
def test_what_is_unknown_yields_nothing(desired: dict[str, Any], actual: dict[str, Any]) -> None:
    unknown = {item for item, value in actual.items() if value is UNKNOWN}
    assert not unknown & {action.item for action in diff(desired, actual)}


@given(DESIRED, ACTUAL)
def test_each_item_changes_at_most_once_and_deletes_come_last(
    desired: dict[str, Any], actual: dict[str, Any]
) -> None:
    actions = diff(desired, actual)
    assert len({action.item for action in actions}) == len(actions)
    assert actions == ordered(reversed(actions))
    destructive = [action.destructive for action in actions]
    assert destructive == sorted(destructive)


@given(DESIRED, ACTUAL)
def test_an_update_says_what_was_seen_and_what_is_wanted(
    desired: dict[str, Any], actual: dict[str, Any]
) -> None:
    for action in diff(desired, actual):
        assert action.after == desired.get(action.item)
        assert action.before == (None if action.verb is Verb.CREATE else actual[action.item])


def test_a_delete_says_whether_a_person_asked_for_it_and_whether_it_is_protected() -> None:
    actions = diff({}, {"a": 1, "b": 2}, explicit=frozenset("a"), protected=frozenset("b"))
    assert [(a.item, a.explicit, a.protected) for a in actions] == [("a", True, False), ("b", False, True)]


@given(ACTIONS, st.randoms(use_true_random=False))
def test_a_digest_does_not_depend_on_the_order(actions: list[Action], chance: Any) -> None:
    shuffled = list(actions)
    chance.shuffle(shuffled)
    assert digest(shuffled) == digest(actions)


@given(ACTIONS.filter(bool), st.data())
def test_a_digest_names_verb_item_before_and_after_and_nothing_else(
    actions: list[Action], data: st.DataObject
) -> None:
    first, rest = actions[0], actions[1:]
    field = data.draw(st.sampled_from(["item", "before", "after", "explicit", "protected"]))
    value = True if field in ("explicit", "protected") else "something else"
    said_in_digest = field in ("item", "before", "after")
    changed = digest([replace(first, **{field: value}), *rest])
    assert (changed != digest(actions)) == said_in_digest


@given(ACTIONS.filter(bool))
def test_a_digest_tells_a_set_from_a_smaller_one(actions: list[Action]) -> None:
    assert digest(actions) != digest(actions[1:])


def test_the_spelling_of_a_value_does_not_change_the_digest() -> None:
    one = Action(verb=Verb.CREATE, item="a", after={"x": 1, "y": [1, 2]})
    other = Action(verb=Verb.CREATE, item="a", after={"y": (1, 2), "x": 1})
    assert digest([one]) == digest([other])


@pytest.mark.parametrize(
    ("verb", "counted"),
    [
        (Verb.CREATE, "create"),
        (Verb.UPDATE, "update"),
        (Verb.UNPARK, "update"),
        (Verb.REPLACE, "delete"),
        (Verb.PARK, "delete"),
        (Verb.DELETE, "delete"),
    ],
)
def test_every_verb_is_counted_once_and_has_a_symbol(verb: Verb, counted: str) -> None:
    found = sizes([Action(verb=verb, item="a")])
    assert [name for name, number in found.items() if number] == [counted]
    assert (counted == "delete") == (verb in DESTRUCTIVE)
    assert SYMBOLS[verb] in "+~±-"
