"""How heavy, how much for the whole fleet, how unusual, how dear: limits on damage beside the count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case, Room
from setpoint.engine.doubts.damage import unusual
from setpoint.engine.guards import judge
from setpoint.engine.limits import Limits
from setpoint.engine.plan import Action, Verb
from setpoint.engine.remember import next_ledger

from .situations import case, creates, deletes, guards_of, ledger, room, updates

MANY = Limits(deletes_ceiling=10_000, deletes_share=0.99, shrink_share=0.99)
RECORD, RULE, HOST, ZONE_OF_400 = 1, 3, 20, 500


def weighty(number: int, each: int, owned: int, items: int = 1_000) -> Case:
    return case(deletes(number, weight=each), weight=owned, actual=items, desired=items)


@pytest.mark.parametrize(
    ("number", "each", "owned", "held"),
    [
        (1, ZONE_OF_400, 5_000, False),
        (1, ZONE_OF_400, 500, False),
        (2, ZONE_OF_400, 9_999, True),
        (2, ZONE_OF_400, 10_000, False),
        (2, ZONE_OF_400, 10_001, False),
        (1, HOST, 100, False),
        (2, HOST, 399, True),
        (2, HOST, 400, False),
        (10, RECORD, 1_000, False),
        (10, RULE, 299, True),
        (10, RULE, 300, False),
    ],
)
def test_the_heaviest_item_or_a_tenth_of_the_weight_may_go(
    number: int, each: int, owned: int, held: bool
) -> None:
    assert (guards_of(weighty(number, each, owned)) == ["weight"]) == held


def test_one_host_can_be_deleted_whatever_it_weighs_beside_the_rest() -> None:
    verdict = judge(case(deletes(1, weight=HOST), weight=60, actual=3, desired=2, accepted=3))
    assert (len(verdict.allowed), verdict.holds) == (1, ())


def test_a_heavy_one_is_not_hidden_among_light_ones() -> None:
    light, heavy = deletes(3, weight=RECORD), replace(deletes(4, weight=ZONE_OF_400)[3])
    judged = case((*light, heavy), weight=600, actual=100)
    assert guards_of(judged) == ["weight"]
    assert judge(judged).allowed == ()


def test_the_sentence_says_how_heavy_and_how_heavy_is_allowed() -> None:
    hold = judge(weighty(2, ZONE_OF_400, 5_000)).holds[0]
    assert hold.message == "2 deletes weigh 1000 of 5000 owned; allowed is 500"


@given(owned=st.integers(1, 400), number=st.integers(1, 400), each=st.integers(1, 100))
def test_where_all_weigh_the_same_the_count_alone_decides(owned: int, number: int, each: int) -> None:
    judged = case(deletes(number, weight=each), actual=owned, desired=owned, weight=each * owned)
    assert "weight" not in guards_of(judged)


@given(owned=st.integers(1, 400), number=st.integers(1, 400))
def test_without_weights_every_item_weighs_one(owned: int, number: int) -> None:
    assert "weight" not in guards_of(case(deletes(number), actual=owned, desired=owned))


@given(st.lists(st.integers(1, 500), min_size=1, max_size=10), st.integers(1, 9_000))
def test_whatever_the_weights_no_more_than_the_heaviest_or_a_tenth_goes(
    weights: list[int], rest: int
) -> None:
    actions = tuple(replace(a, weight=each) for a, each in zip(deletes(10), weights, strict=False))
    owned = sum(weights) + rest
    judged = case(actions, actual=1_000, desired=1_000, weight=owned)
    light = sum(weights) <= max(*weights, 0, owned / 10)
    alike = all(1_000 * each == owned for each in weights)
    assert ("weight" in guards_of(judged)) == (not light and not alike)


def test_what_a_person_named_weighs_nothing() -> None:
    assert guards_of(case(deletes(5, weight=100, explicit=True), weight=500, actual=5, desired=0)) == []


@pytest.mark.parametrize(
    ("wanted", "left", "held"), [(1, 0, True), (2, 1, True), (2, 2, False), (2, 3, False)]
)
@pytest.mark.parametrize("explicit", [True, False])
def test_deletes_need_room_in_the_fleet_asked_for_by_name_or_not(
    wanted: int, left: int, held: bool, explicit: bool
) -> None:
    judged = case(deletes(wanted, explicit=explicit), rooms=room(left))
    assert (guards_of(judged) == ["fleet_budget"]) == held
    assert (judge(judged).allowed == ()) == held


def test_the_smallest_of_all_rooms_decides_and_is_named() -> None:
    rooms = (Room("the installation", 200, 9), Room("organization acme", 50, 1), Room("account a", 100, 2))
    hold = judge(case(deletes(3), rooms=rooms)).holds[0]
    assert hold.message == "3 deletes; organization acme has 1 of 50 left this hour"


def test_what_is_built_needs_no_room() -> None:
    verdict = judge(case((*creates(1), *deletes(2)), rooms=room(0)))
    assert [action.verb for action in verdict.allowed] == [Verb.CREATE]
    assert guards_of(case(creates(1), rooms=room(0))) == []


def sized(number: int, *sizes: int, deletions: int = 1) -> Case:
    actions = (*updates(number - deletions), *deletes(deletions))
    return case(actions, ledger=ledger(sizes=sizes, wave=1_000), actual=1_000, desired=1_000)


@pytest.mark.parametrize(
    ("number", "sizes", "held"),
    [
        (10, (1,) * 5, False),
        (11, (1,) * 5, True),
        (11, (1,) * 4, False),
        (12, (4,) * 5, False),
        (13, (4,) * 5, True),
        (31, (1, 1, 100, 100, 100), False),
        (31, (10, 10, 10, 100, 100), True),
        (30, (10, 10, 10, 100, 100), False),
        (31, (10, 10, 11, 11, 100, 100), False),
        (500, (), False),
    ],
)
def test_more_than_three_times_the_usual_and_more_than_ten_is_unusual(
    number: int, sizes: tuple[int, ...], held: bool
) -> None:
    judged = sized(number, *sizes)
    assert (guards_of(judged) == ["unusual_plan"]) == unusual(judged) == held


def test_what_an_unusual_plan_destroys_waits_and_the_rest_goes_on() -> None:
    verdict = judge(sized(40, 4, 4, 4, 4, 4, deletions=2))
    assert not any(action.destructive for action in verdict.allowed)
    assert len(verdict.allowed) == 38
    assert verdict.holds[0].message == "40 changes where 4 are usual; a person was told"


def test_an_unusual_plan_that_destroys_nothing_goes_on() -> None:
    judged = sized(40, 4, 4, 4, 4, 4, deletions=0)
    assert (unusual(judged), guards_of(judged)) == (True, [])


def test_only_plans_that_are_not_empty_and_not_the_rest_of_a_larger_one_are_remembered() -> None:
    judged = case()
    for number in (0, 4, 3, 2, 0, 5, 5, 6, 0):
        judged = case(updates(number), ledger=judged.ledger)
        judged = replace(judged, ledger=next_ledger(judged, judge(judged), ()))
    assert judged.ledger.sizes == (4, 5, 6)


def test_twenty_plans_are_remembered_and_the_oldest_goes() -> None:
    judged = case()
    for number in (*range(1, 26), 0):
        judged = case(updates(number), ledger=judged.ledger)
        judged = replace(judged, ledger=next_ledger(judged, judge(judged), ()))
    assert judged.ledger.sizes == tuple(range(6, 26))


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.PARK, Verb.REPLACE])
@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("named", [True, False], ids=["by name", "by its loop"])
def test_what_is_protected_is_not_destroyed_by_any_path(verb: Verb, explicit: bool, named: bool) -> None:
    action = Action(verb=verb, item="www", before=1, explicit=explicit, protected=not named)
    verdict = judge(case((action,), protected=frozenset({"www"} if named else ()), deleting=explicit))
    assert (verdict.allowed, [hold.guard for hold in verdict.holds]) == ((), ["protection"])


@pytest.mark.parametrize("verb", [Verb.CREATE, Verb.UPDATE, Verb.UNPARK])
def test_what_is_protected_may_be_built_and_changed(verb: Verb) -> None:
    action = Action(verb=verb, item="www", before=1, after=2, protected=True)
    assert judge(case((action,), protected=frozenset({"www"}))).allowed == (action,)


def test_what_stands_beside_the_protected_goes() -> None:
    verdict = judge(case(deletes(2), protected=frozenset({"x-00000"})))
    assert [action.item for action in verdict.allowed] == ["x-00001"]


def test_with_other_limits_more_may_go() -> None:
    assert guards_of(case(deletes(50), limits=MANY)) == []
    assert guards_of(case(deletes(50), limits=replace(MANY, deletes_ceiling=49))) == ["delete_budget"]
