"""A memory that began lately, and limits that were loosened lately, let no more deletes through than old."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.doubts.memory import former_limits, parked_longest
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.gather import Standards
from setpoint.engine.guards import GUARDS, judge
from setpoint.engine.ledger import Former, Ledger
from setpoint.engine.limits import DAY, HOUR, Limits
from setpoint.engine.plan import Action, Verb
from setpoint.engine.record import rehearsed
from setpoint.engine.remember import next_ledger

from .situations import NOW, ZONE, act, case, creates, deletes, guards_of, ledger, room, updates
from .test_record import on_record

THERE = tuple(f"x-{n:05d}" for n in range(40))
LOOSE = Limits(deletes_share=0.99, deletes_ceiling=1000, shrink_share=0.99, fleet_installation=1000)


def lost(number: int, **more: object) -> Case:
    """A loop whose memory began a minute ago, while everything was there."""
    known = ledger(known=THERE, since=more.pop("since", NOW - 60))
    return case(deletes(number), ledger=known, unmarked=True, **more)


@pytest.mark.parametrize(
    ("age", "held"), [(0, True), (60, True), (HOUR - 1, True), (HOUR, False), (DAY, False)]
)
def test_a_new_memory_holds_deletes_for_its_first_hour(age: float, held: bool) -> None:
    assert guards_of(lost(1, since=NOW - age)) == (["new_memory"] if held else [])


def test_before_the_first_look_the_memory_is_newest() -> None:
    never = replace(lost(1), ledger=Ledger(ref=ZONE, known=THERE))
    assert "new_memory" in guards_of(never)


def test_a_memory_from_before_this_was_remembered_is_old() -> None:
    assert guards_of(lost(1, since=0.0)) == []


def test_what_it_made_itself_goes_at_once() -> None:
    made = (act("x-00000", Verb.CREATE),)
    assert guards_of(lost(1, recent=made)) == []
    assert guards_of(lost(2, recent=made)) == ["new_memory"]


def test_what_it_only_changed_or_failed_to_make_is_none_of_its_own() -> None:
    for mine in (act("x-00000", Verb.UPDATE), act("x-00000", Verb.CREATE, state="failed")):
        assert guards_of(lost(1, recent=(mine,))) == ["new_memory"]


def test_after_an_approved_delete_ordinary_ones_go_at_once() -> None:
    approved = act("y-1", Verb.DELETE, approval="a person's")
    assert guards_of(lost(1, recent=(approved,))) == []
    others = (replace(approved, approval=""), replace(approved, verb=Verb.UPDATE))
    assert [guards_of(lost(1, recent=(each,))) for each in others] == [["new_memory"]] * 2


def test_where_things_carry_marks_or_one_is_alone_nothing_is_held() -> None:
    assert guards_of(replace(lost(1), unmarked=False)) == []
    assert guards_of(case(deletes(1), ledger=ledger(known=THERE[:1], since=NOW), unmarked=True)) == []


def test_creates_and_updates_go_on_while_deletes_are_held() -> None:
    judged = replace(lost(1), plan=replace(lost(1).plan, actions=(*creates(1), *updates(1), *deletes(1))))
    verdict = judge(judged)
    assert [a.verb for a in verdict.allowed] == [Verb.CREATE, Verb.UPDATE]


@given(st.lists(st.floats(1.0, HOUR), max_size=20))
def test_however_it_looks_it_lets_go_by_itself_after_one_hour(pauses: list[float]) -> None:
    known, now, first = Ledger(ref=ZONE), NOW, NOW
    for pause in (*pauses, HOUR, 60.0, 60.0):
        judged = replace(lost(1), ledger=known, now=now)
        judged = replace(
            judged, former=former_limits(judged), plan=replace(judged.plan, known=frozenset(THERE))
        )
        assert ("new_memory" in guards_of(judged)) == (now < first + HOUR)
        known = next_ledger(judged, judge(judged), ())
        now += pause


def judged_with(limits: Limits, former: Limits, **more: object) -> Case:
    return case(deletes(8), limits=limits, former=(Former(limits=former, until=NOW - 60),), **more)


def test_the_stricter_of_the_old_and_the_new_limit_counts() -> None:
    strict = Limits(deletes_ceiling=5)
    for now, before in ((strict, Limits()), (Limits(), strict)):
        assert guards_of(judged_with(now, before)) == ["delete_budget"]
    assert guards_of(judged_with(Limits(), LOOSE)) == []


def test_a_looser_limit_says_from_when_it_counts() -> None:
    message = judge(judged_with(Limits(), Limits(deletes_ceiling=5))).holds[0].message
    assert message.endswith("; a looser limit was set and counts for deletes from 1970-01-13 13:45 UTC")
    alone = judge(judged_with(Limits(deletes_ceiling=5), Limits())).holds[0].message
    assert "looser" not in alone


def test_the_fleet_budget_counts_under_the_old_limit_too() -> None:
    rooms = tuple(replace(each, of="fleet_installation") for each in room(900, limit=1000))
    judged = judged_with(LOOSE, replace(LOOSE, fleet_installation=100), rooms=rooms)
    assert guards_of(judged) == ["fleet_budget"]


def test_guards_that_are_not_about_deletes_go_by_the_limits_of_now() -> None:
    lasting = {guard.name for guard in GUARDS if guard.lasting}
    about_deletes = {guard.name for guard in GUARDS if guard.limits and guard.withholds == "deletes"}
    assert lasting == about_deletes | {"shrunken_intent", "lost_group"}


def remembered(known: Ledger, limits: Limits, now: float) -> Ledger:
    judged = case(ledger=known, limits=limits, now=now)
    judged = replace(judged, former=former_limits(judged))
    return next_ledger(judged, judge(judged), ())


def test_limits_are_remembered_for_a_day_and_written_only_when_they_change() -> None:
    first = remembered(ledger(), Limits(), NOW)
    assert (first.limits, first.former) == (Limits(), ())
    loose = remembered(first, LOOSE, NOW + 60)
    assert loose.former == (Former(limits=Limits(), until=NOW + 60),)
    later = remembered(loose, LOOSE, NOW + DAY)
    assert later.former == loose.former
    assert remembered(later, LOOSE, NOW + 60 + DAY).former == ()


@given(st.lists(st.sampled_from((Limits(), LOOSE, Limits(deletes_ceiling=5))), min_size=1, max_size=12))
def test_by_no_way_back_and_forth_is_a_limit_of_the_day_forgotten(limits: list[Limits]) -> None:
    known = ledger()
    for number, each in enumerate(limits):
        known = remembered(known, each, NOW + number)
    after = case(ledger=known, limits=LOOSE, now=NOW + len(limits))
    assert {*limits} - {LOOSE} == {each.limits for each in former_limits(after)} - {LOOSE}


def test_a_lost_memory_takes_the_usual_limits_for_those_before() -> None:
    never = replace(lost(8, limits=LOOSE), ledger=Ledger(ref=ZONE, known=THERE))
    assert [each.limits for each in former_limits(never)] == [Limits()]
    assert former_limits(replace(never, unmarked=False)) == ()


def test_a_rehearsed_limit_shows_what_it_would_do_once_it_counts() -> None:
    recorded = on_record(judged_with(Limits(deletes_ceiling=5), Limits(deletes_ceiling=5)))
    assert [hold.guard for hold in recorded.verdict.holds] == ["delete_budget"]
    assert rehearsed(recorded, Limits()).holds == ()


def test_no_limit_shortens_the_hour_that_budgets_count() -> None:
    short = Limits(contested_seconds=1.0, contested_intervals=1)
    standards = Standards(limits=lambda _: short, code=lambda _: "", every=lambda _: 1.0)
    declared = Declared(ref=ZONE, kind="zone", scope=Scope("acme"), name="z", spec={})
    assert standards.window(declared) == HOUR


def test_what_is_parked_can_come_back_for_as_long_as_the_longer_limit_says() -> None:
    parking = Action(verb=Verb.PARK, item="x", before=1, until=NOW + 60)
    longer = (Former(limits=Limits(park_seconds=DAY), until=NOW),)
    judged = case((parking,), limits=Limits(park_seconds=60.0), former=longer)
    assert [a.until for a in parked_longest(judged).actions] == [NOW + DAY]
    assert parked_longest(replace(judged, former=())) == judged.plan
