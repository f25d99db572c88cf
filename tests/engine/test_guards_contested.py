"""What another writer undoes again and again is left alone: that field, and nothing else."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.doubts.effort import uncontested
from setpoint.engine.guards import judge
from setpoint.engine.limits import DAY, HOUR, Limits
from setpoint.engine.plan import Action, Verb
from setpoint.engine.remember import next_ledger
from setpoint.engine.rows import Act, ActState

from .situations import NOW, act, case, creates, deletes, guards_of, undone, updates

THEIRS, OURS = {"ttl": 60, "ip": 1}, {"ttl": 300, "ip": 1}
UPDATE = Action(verb=Verb.UPDATE, item="www", before=THEIRS, after=OURS)


def fought(*recent: Act, action: Action = UPDATE, **more: Any) -> Case:
    return case((action,), recent=recent, **more)


def wrote(times: int, after: Any = OURS, **more: Any) -> tuple[Act, ...]:
    return undone("www", after, times, before=THEIRS, **more)


@pytest.mark.parametrize(("times", "held"), [(0, False), (1, False), (2, False), (3, True), (4, True)])
def test_three_times_undone_is_a_contest(times: int, held: bool) -> None:
    judged = fought(*wrote(times))
    assert (guards_of(judged) == ["contested"]) == held
    assert (judge(judged).allowed == ()) == held


def test_the_sentence_names_the_field_and_no_value_that_may_be_secret() -> None:
    hold = judge(fought(*wrote(3))).holds[0]
    assert hold.message == "another writer keeps changing ttl of www; ours was undone 3 times"
    assert hold.items == ("www",)


def test_of_several_contests_the_sentence_has_the_first_two() -> None:
    recent = tuple(each for n in range(1, 4) for each in undone(f"old-{n:05d}", -n, 3, before=n))
    hold = judge(case(updates(4)[1:], recent=recent)).holds[0]
    each_time = "is changed or removed by another writer each time"
    assert hold.message == f"old-00001 {each_time}; old-00002 {each_time}; ours was undone 3 times"
    assert len(hold.items) == 3


def test_only_the_contested_field_is_left_alone() -> None:
    both = replace(UPDATE, before={"ttl": 60, "ip": 1, "tag": "x"}, after={"ttl": 300, "ip": 2, "tag": "x"})
    verdict = judge(fought(*wrote(3), action=both))
    [allowed] = verdict.allowed
    assert allowed.after == {"ttl": 60, "ip": 2, "tag": "x"}
    assert (verdict.holds[0].guard, verdict.holds[0].items) == ("contested", ())


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ({"ip": 1}, {"ip": 2, "ttl": 300}, {"ip": 2}),
        ({"ip": 1, "ttl": 300, "x": 9}, {"ip": 2, "ttl": 300}, {"ip": 2, "ttl": 300, "x": 9}),
    ],
    ids=["they remove what we add", "they add what we remove"],
)
def test_a_field_that_comes_and_goes_is_contested_too(
    before: dict[str, int], after: dict[str, int], left: dict[str, int]
) -> None:
    action = Action(verb=Verb.UPDATE, item="www", before=before, after=after)
    past = undone("www", {**after, "ip": 1}, 3, before={**before, "ip": 1})
    assert [each.after for each in judge(fought(*past, action=action)).allowed] == [left]
    same = replace(action, after={**after, "ip": 1})
    assert judge(fought(*past, action=same)).allowed == ()


def test_another_item_is_not_concerned() -> None:
    verdict = judge(case((UPDATE, *creates(1)), recent=wrote(3), wave=1))
    assert [action.item for action in verdict.allowed] == ["new-00000"]


def test_what_is_contested_does_not_keep_other_things_from_going() -> None:
    verdict = judge(case((UPDATE, *deletes(1)), recent=wrote(3)))
    assert [action.item for action in verdict.allowed] == ["x-00000"]


@pytest.mark.parametrize(
    "recent",
    [
        wrote(3, after={"ttl": 200, "ip": 1}),
        wrote(3, state=ActState.FAILED),
        wrote(3, state=ActState.UNKNOWN)[:0] + wrote(2),
        undone("other", OURS, 3, before=THEIRS),
        undone("www", OURS, 3, before={"ttl": 300, "ip": 7}),
    ],
    ids=["another value", "never done", "twice", "another item", "another field"],
)
def test_what_is_no_contest(recent: tuple[Act, ...]) -> None:
    assert guards_of(fought(*recent)) == []


def test_making_it_counts_as_writing_each_of_its_fields() -> None:
    made = act("www", Verb.CREATE, age=300.0, after=OURS)
    assert guards_of(fought(made, *wrote(2))) == ["contested"]


@pytest.mark.parametrize(
    ("age", "interval", "held"),
    [(HOUR - 1, 60.0, True), (HOUR, 60.0, False), (HOUR, DAY, True), (10 * DAY - 1, DAY, True)],
)
def test_within_an_hour_or_ten_intervals(age: float, interval: float, held: bool) -> None:
    first = act("www", Verb.UPDATE, age=age, before=THEIRS, after=OURS)
    assert (guards_of(fought(first, *wrote(2), interval=interval)) == ["contested"]) == held


@pytest.mark.parametrize(("gap", "held"), [(9.9, False), (10.0, True), (60.0, True)])
def test_a_provider_that_shows_late_is_no_contest(gap: float, held: bool) -> None:
    recent = tuple(act("www", Verb.UPDATE, age=gap * n, before=THEIRS, after=OURS) for n in (3, 2, 1))
    assert (guards_of(fought(*recent)) == ["contested"]) == held


@pytest.mark.parametrize("verb", [Verb.CREATE, Verb.DELETE])
def test_what_comes_back_or_goes_each_time_is_contested_as_a_whole(verb: Verb) -> None:
    values = {"before": 1} if verb is Verb.DELETE else {"after": 1}
    action = Action(verb=verb, item="www", **values)
    recent = tuple(act("www", verb, age=60.0 * n, **values) for n in (3, 2, 1))
    assert judge(case((action,), recent=recent)).allowed == ()
    assert guards_of(case((action,), recent=recent)) == ["contested"]
    assert guards_of(case((action,), recent=recent[:2])) == []


def test_what_comes_back_each_time_is_said_to() -> None:
    action = Action(verb=Verb.DELETE, item="www", before=1)
    hold = judge(case((action,), recent=tuple(act("www", age=60.0 * n, before=1) for n in (3, 2, 1)))).holds[
        0
    ]
    assert hold.message == "www comes back each time; ours was undone 3 times"


def test_what_is_removed_each_time_is_left_alone_with_all_its_fields_and_the_rest_goes_on() -> None:
    action = Action(verb=Verb.CREATE, item="www", after=OURS)
    recent = tuple(act("www", Verb.CREATE, age=60.0 * n, after=OURS) for n in (3, 2, 1))
    verdict = judge(case((action, *creates(1)), recent=recent, wave=1))
    assert [hold.guard for hold in verdict.holds] == ["contested"]
    assert [each.item for each in verdict.allowed] == ["new-00000"]


@pytest.mark.parametrize(
    "past",
    [
        undone("www", 9, 3),
        undone("www", OURS, 3),
        tuple(act("www", Verb.DELETE, age=60.0 * n, before=1) for n in (3, 2, 1)),
    ],
    ids=["another value", "a value with fields", "deletes"],
)
def test_what_was_something_else_is_no_contest_about_a_value_without_fields(past: tuple[Act, ...]) -> None:
    assert guards_of(case((Action(verb=Verb.UPDATE, item="www", before=1, after=2),), recent=past)) == []


@pytest.mark.parametrize(
    "past",
    [
        undone("www", 300, 3),
        tuple(act("www", Verb.UNPARK, age=60.0 * n, before=THEIRS, after=OURS) for n in (3, 2, 1)),
        tuple(act("www", Verb.DELETE, age=60.0 * n, before=THEIRS) for n in (3, 2, 1)),
    ],
    ids=["values without fields", "coming back from the park", "deletes"],
)
def test_what_wrote_no_field_is_no_contest_about_one(past: tuple[Act, ...]) -> None:
    assert guards_of(fought(*past)) == []


def test_where_nothing_is_contested_all_is_left_to_do() -> None:
    assert uncontested(UPDATE, frozenset()) == UPDATE
    assert uncontested(UPDATE, frozenset({"ttl"})) is None


def test_values_that_have_no_fields_are_contested_as_a_whole() -> None:
    assert guards_of(
        case((Action(verb=Verb.UPDATE, item="www", before=1, after=2),), recent=undone("www", 2))
    )


def settled(judged: Case, **more: Any) -> Case:
    """The same situation one pass later, as it is remembered."""
    return replace(judged, ledger=next_ledger(judged, judge(judged), ()), **more)


def test_a_contest_is_not_forgotten_while_nobody_decides() -> None:
    later = settled(fought(*wrote(3)), recent=(), now=NOW + 7 * DAY)
    looked = replace(later, ledger=replace(later.ledger, looked_at=later.now))
    assert guards_of(looked) == ["contested"]
    assert settled(looked).ledger.contested == later.ledger.contested


def test_another_intent_is_another_chance() -> None:
    other = replace(UPDATE, after={"ttl": 900, "ip": 1})
    later = settled(fought(*wrote(3)))
    assert judge(replace(later, plan=replace(later.plan, actions=(other,)))).allowed == (other,)


def test_a_change_of_another_field_is_no_new_chance_for_this_one() -> None:
    other = replace(UPDATE, after={"ttl": 300, "ip": 9})
    later = settled(fought(*wrote(3)), recent=())
    [allowed] = judge(replace(later, plan=replace(later.plan, actions=(other,)))).allowed
    assert allowed.after == {"ttl": 60, "ip": 9}


def test_a_person_lets_it_go_and_it_takes_three_more_to_be_contested_again() -> None:
    later = settled(fought(*wrote(3)), released={"www": NOW})
    assert judge(later).allowed == (UPDATE,)
    again = tuple(act("www", Verb.UPDATE, age=-60.0 * n, before=THEIRS, after=OURS) for n in (1, 2, 3))
    assert guards_of(replace(later, recent=(*wrote(3), *again[:2]), now=NOW + 240.0)) == []
    assert guards_of(replace(later, recent=(*wrote(3), *again), now=NOW + 240.0)) == ["contested"]


def test_when_the_other_writer_gives_in_the_contest_is_over() -> None:
    later = settled(fought(*wrote(3)))
    agreed = replace(later, plan=replace(later.plan, actions=()))
    assert settled(agreed).ledger.contested == {}


def test_the_number_of_times_can_be_set() -> None:
    assert guards_of(fought(*wrote(3), limits=Limits(contested_times=4))) == []
    assert guards_of(fought(*wrote(1), limits=Limits(contested_times=1))) == ["contested"]


FIELDS = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), min_size=1)


@given(before=FIELDS, after=FIELDS, times=st.integers(0, 5))
def test_whatever_the_fields_no_value_is_written_a_fourth_time(
    before: dict[str, int], after: dict[str, int], times: int
) -> None:
    action = Action(verb=Verb.UPDATE, item="www", before=before, after=after)
    past = undone("www", after, times, before=before)
    allowed = judge(fought(*past, action=action)).allowed if before != after else ()
    assert bool(allowed) == (before != after and times < 3)


def test_what_another_writer_removes_each_time_does_not_hold_up_deletes_for_ever() -> None:
    made = Action(verb=Verb.CREATE, item="www", after=OURS)
    recent = tuple(act("www", Verb.CREATE, age=60.0 * n, after=OURS) for n in (3, 2, 1))
    verdict = judge(case((made, *deletes(1)), recent=recent))
    assert [hold.guard for hold in verdict.holds] == ["contested"]
    assert [action.item for action in verdict.allowed] == ["x-00000"]


def toggled(times: int, *values: Any) -> tuple[Act, ...]:
    """Acts of ours alone, a minute apart: each finds what the one before left."""
    written = [values[n % len(values)] for n in range(times + 1)]
    pairs = itertools.pairwise(written)
    return tuple(_switched(before, after, 60.0 * (times - n)) for n, (before, after) in enumerate(pairs))


def _switched(before: Any, after: Any, age: float) -> Act:
    verb = Verb.CREATE if before is None else Verb.DELETE if after is None else Verb.UPDATE
    return act("www", verb, age=age, before=before, after=after)


def _next(past: tuple[Act, ...], *values: Any) -> Action:
    last = _switched(past[-1].after, values[(len(past) + 1) % len(values)], 0.0)
    return Action(verb=last.verb, item="www", before=last.before, after=last.after)


@pytest.mark.parametrize(
    "values",
    [(1, 2), ("live", "maint", "off"), (THEIRS, OURS), (None, 1), (None, OURS), (None, 1, 2)],
    ids=str,
)
@pytest.mark.parametrize("times", [1, 3, 4, 8, 50])
def test_toggling_what_is_declared_is_no_contest(values: tuple[Any, ...], times: int) -> None:
    past = toggled(times, *values)
    judged = case((_next(past, *values),), recent=past, desired=99)
    assert "contested" not in guards_of(judged)
    assert next_ledger(judged, judge(judged), ()).contested == {}


VALUES = st.one_of(st.none(), st.integers(0, 2), FIELDS)


@given(wishes=st.lists(VALUES, min_size=1, max_size=12), settle=st.sampled_from([0.0, 10.0, 90.0]))
def test_whatever_we_declare_in_turn_we_do_not_contest_ourselves(wishes: list[Any], settle: float) -> None:
    changes = [b for a, b in zip([None, *wishes], wishes, strict=False) if a != b]
    pairs = list(zip([None, *changes], changes, strict=False))
    past = tuple(_switched(a, b, 60.0 * (len(pairs) - n)) for n, (a, b) in enumerate(pairs[:-1]))
    for a, b in pairs[-1:]:
        last = _switched(a, b, 0.0)
        action = Action(verb=last.verb, item="www", before=a, after=b)
        assert "contested" not in guards_of(case((action,), recent=past, settles_in=settle))


@given(
    wishes=st.lists(st.sampled_from([1, 2]), max_size=6),
    verb=st.sampled_from([Verb.UPDATE, Verb.CREATE]),
    undone_times=st.integers(0, 4),
)
def test_a_second_writer_is_held_at_the_third_undone_write_whatever_went_before(
    wishes: list[int], verb: Verb, undone_times: int
) -> None:
    ours, theirs = 9, None if verb is Verb.CREATE else 5
    before = [_switched(a, b, 0.0) for a, b in zip([7, *wishes], wishes, strict=False) if a != b]
    fought_over = [act("www", verb, before=theirs, after=ours) for _ in range(undone_times)]
    past = [
        replace(each, began_at=NOW - 60.0 * n, ended_at=NOW - 60.0 * n)
        for n, each in zip(range(len(before) + undone_times, 0, -1), (*before, *fought_over), strict=True)
    ]
    action = Action(verb=verb, item="www", before=theirs, after=ours)
    judged = case((action,), recent=tuple(past))
    assert ("contested" in guards_of(judged)) == (undone_times >= 3)


def test_a_failed_act_of_ours_that_landed_all_the_same_is_nobody_elses() -> None:
    landed = act("www", Verb.UPDATE, age=90.0, before=1, after=2, state=ActState.FAILED)
    pairs = [(act("www", Verb.UPDATE, age=120.0 + 60 * n, before=2, after=1), landed) for n in range(3)]
    past = tuple(
        replace(each, began_at=NOW - age, ended_at=NOW - age)
        for (first, second), n in zip(pairs, range(3), strict=True)
        for each, age in ((first, 400.0 - 100 * n), (second, 350.0 - 100 * n))
    )
    again = Action(verb=Verb.UPDATE, item="www", before=2, after=1)
    assert "contested" not in guards_of(case((again,), recent=past))


@pytest.mark.parametrize(("can_be_lost", "held"), [(True, False), (False, True)])
def test_a_thing_that_can_end_by_itself_is_made_again_each_time(can_be_lost: bool, held: bool) -> None:
    action = Action(verb=Verb.CREATE, item="server", after=OURS)
    recent = tuple(act("server", Verb.CREATE, age=60.0 * n, after=OURS) for n in range(1, 6))
    judged = case((action,), recent=recent, can_be_lost=can_be_lost)
    assert ("contested" in guards_of(judged)) == held


def test_parking_and_bringing_back_by_ourselves_is_no_contest() -> None:
    verbs = (Verb.PARK, Verb.UNPARK) * 4
    past = tuple(
        act("www", verb, age=60.0 * (9 - n), before=1, after=None if verb is Verb.PARK else 1)
        for n, verb in enumerate(verbs)
    )
    assert "contested" not in guards_of(case((Action(verb=Verb.PARK, item="www", before=1),), recent=past))
