"""The table of guards: each one is needed, each one is explained, and one that cannot answer denies."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from msgspec.structs import replace as changed

from setpoint.engine import guards
from setpoint.engine.case import Case
from setpoint.engine.guards import GUARDS, WAIVABLE, Guard, Verdict, judge
from setpoint.engine.limits import Limits
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import Mode

from .situations import ALONE, act, case, creates, deletes, ledger, lever, room, updates

NAMES = [guard.name for guard in GUARDS]


def test_every_guard_has_a_situation_of_its_own() -> None:
    assert sorted(ALONE) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_guard_alone_withholds_its_situation(name: str) -> None:
    verdict = judge(ALONE[name])
    assert (verdict.allowed, [hold.guard for hold in verdict.holds]) == ((), [name])


@pytest.mark.parametrize("name", NAMES)
def test_without_its_row_the_situation_of_a_guard_is_let_through(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "GUARDS", tuple(guard for guard in GUARDS if guard.name != name))
    verdict = judge(ALONE[name])
    assert (verdict.allowed, verdict.holds) == (ALONE[name].plan.actions, ())


@pytest.mark.parametrize("guard", GUARDS, ids=NAMES)
def test_every_guard_says_what_it_is_for_and_how_it_is_released(guard: Guard) -> None:
    assert all((guard.about, guard.release))
    assert ("approve" in guard.release) == guard.waivable == (guard.name in WAIVABLE)


def test_what_a_guard_is_for_is_the_first_line_of_its_check() -> None:
    def check(_: Case) -> None:
        """Nothing is doubted.

        Which takes more words to explain.
        """

    assert Guard("calm", "plan", check, "by itself").about == "Nothing is doubted."


def test_every_limit_belongs_to_a_guard_or_to_a_mechanism_of_its_own() -> None:
    read = {name for guard in GUARDS for name in guard.limits}
    beside = {"wave_share", "wave_floor", "park_seconds", "approval_seconds"}
    assert read | beside == set(Limits.__struct_fields__)
    assert read & beside == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_hold_is_a_sentence_with_its_numbers_or_its_items(name: str) -> None:
    hold = judge(ALONE[name]).holds[0]
    assert len(hold.message) > 10
    assert hold.items or any(figure.isdigit() for figure in hold.message) or "nothing" in hold.message


@pytest.mark.parametrize("name", NAMES)
def test_a_guard_that_raises_denies_the_whole_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Case) -> None:
        raise ZeroDivisionError("of nothing")

    rows = tuple(replace(guard, check=broken) if guard.name == name else guard for guard in GUARDS)
    monkeypatch.setattr(guards, "GUARDS", rows)
    verdict = judge(case((*creates(1), *deletes(1))))
    assert [hold.message for hold in verdict.holds] == [f"guard {name} failed: of nothing"]
    assert verdict.allowed == ()


@pytest.mark.parametrize(
    ("mode", "allowed"),
    [
        (Mode.RUN, ["new-00000", "x-00000"]),
        (Mode.NO_DELETES, ["new-00000"]),
        (Mode.OBSERVE, []),
        (Mode.STOP, []),
    ],
)
def test_a_switch_lets_through_what_its_mode_allows(mode: Mode, allowed: list[str]) -> None:
    verdict = judge(case((*creates(1), *deletes(1, explicit=True)), levers=lever(mode)))
    assert [action.item for action in verdict.allowed] == allowed


def test_where_nothing_is_to_be_destroyed_no_deletes_is_no_reason_to_hold() -> None:
    assert judge(case(creates(1), levers=lever(Mode.NO_DELETES))).holds == ()
    hold = judge(case((*creates(1), *deletes(2)), levers=lever(Mode.NO_DELETES))).holds[0]
    assert hold.message == "no deletes by ann (storm): 2 wait"


@pytest.mark.parametrize("mode", Mode)
def test_the_strictest_of_all_levers_decides(mode: Mode) -> None:
    levers = (*lever(Mode.RUN), *lever(mode), *lever(Mode.RUN))
    assert judge(case(creates(1), levers=levers)) == judge(case(creates(1), levers=lever(mode)))


@pytest.mark.parametrize("mode", Mode)
def test_where_nothing_is_to_be_done_no_switch_is_a_reason_to_hold(mode: Mode) -> None:
    assert judge(case(levers=lever(mode))).holds == ()


def test_a_person_who_names_an_object_passes_every_limit() -> None:
    everything = deletes(50, explicit=True)
    verdict = judge(case(everything, desired=0, actual=50, accepted=50))
    assert (verdict.allowed, verdict.holds) == (everything, ())


def test_a_person_who_deletes_the_whole_domain_passes_every_limit() -> None:
    verdict = judge(case(deletes(50), desired=0, actual=50, accepted=50, deleting=True))
    assert (len(verdict.allowed), verdict.holds) == (50, ())


def test_an_object_deleted_by_name_goes_although_the_rest_is_held() -> None:
    named = Action(verb=Verb.DELETE, item="named", before=1, explicit=True)
    verdict = judge(case((*deletes(50), named), desired=49, accepted=100))
    assert verdict.allowed == (named,)


WHOLESALE = [guard for guard in GUARDS if guard.withholds != "items"]
INTENT = {"empty_intent", "shrunken_intent", "lost_group"}
SPARING = INTENT | {"new_memory", "delete_budget", "leaves_nothing", "weight", "unusual_plan", "probation"}


@pytest.mark.parametrize("guard", WHOLESALE, ids=[guard.name for guard in WHOLESALE])
def test_what_a_person_named_goes_past_exactly_these_guards(guard: Guard) -> None:
    named = Action(verb=Verb.DELETE, item="named", before=1, explicit=True)
    judged = ALONE[guard.name]
    plan = changed(judged.plan, actions=(*judged.plan.actions, named))
    assert (named in judge(changed(judged, plan=plan)).allowed) == (guard.name in SPARING)


def test_a_verdict_is_a_value() -> None:
    assert Verdict(()) == Verdict(allowed=(), holds=(), later=0, approval="")
    with pytest.raises(AttributeError):
        Verdict(()).later = 1  # type: ignore[misc]


@pytest.mark.parametrize("deleting", [True, False])
def test_what_is_protected_stays_whoever_asks(deleting: bool) -> None:
    asked = deletes(2, explicit=True)
    plan = (changed(asked[0], protected=True), asked[1])
    verdict = judge(case(plan, desired=0, deleting=deleting))
    assert verdict.allowed == plan[1:]
    assert [hold.guard for hold in verdict.holds] == ["protection"]


def test_a_long_list_of_items_is_shortened_in_the_sentence_and_complete_in_the_hold() -> None:
    hold = judge(case(deletes(5, protected=True), desired=95)).holds[0]
    assert hold.message == "protected, so not deleted: x-00000, x-00001, x-00002 and 2 more"
    assert len(hold.items) == 5


VERBS = st.sampled_from(Verb)
ACTIONS = st.builds(
    Action,
    verb=VERBS,
    item=st.sampled_from("abcdefgh"),
    before=st.integers(0, 2),
    explicit=st.booleans(),
    protected=st.booleans(),
)
CASES = st.builds(
    lambda actions, sizes, mode, spent: case(
        actions,
        desired=sizes[0],
        actual=sizes[1],
        accepted=sizes[2],
        levers=lever(mode),
        recent=tuple(act(f"{n}", verb) for n, verb in enumerate(spent)),
    ),
    st.lists(ACTIONS, max_size=8, unique_by=lambda action: action.item),
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)),
    st.sampled_from(Mode),
    st.lists(VERBS, max_size=5),
)


@given(CASES)
def test_the_same_case_is_always_judged_the_same(judged: Case) -> None:
    assert judge(judged) == judge(judged)


@given(CASES, st.randoms(use_true_random=False))
def test_what_is_withheld_does_not_depend_on_any_order(judged: Case, chance: Any) -> None:
    actions, recent = list(judged.plan.actions), list(judged.recent)
    chance.shuffle(actions)
    chance.shuffle(recent)
    plan = changed(judged.plan, actions=tuple(actions))
    shuffled = judge(case(plan=plan, ledger=judged.ledger, levers=judged.levers, recent=tuple(recent)))
    assert shuffled.holds == judge(judged).holds
    assert len(shuffled.allowed) == len(judge(judged).allowed)


@given(CASES)
def test_nothing_is_allowed_that_was_not_planned_and_nothing_protected_goes(judged: Case) -> None:
    allowed = judge(judged).allowed
    assert set(allowed) <= set(judged.plan.actions)
    assert not any(action.destructive and action.protected for action in allowed)


@given(CASES)
def test_every_action_is_allowed_held_or_later(judged: Case) -> None:
    verdict = judge(judged)
    withheld = len(judged.plan.actions) - len(verdict.allowed) - verdict.later
    assert withheld >= 0
    assert (withheld > 0) <= bool(verdict.holds)


def test_an_update_is_not_counted_as_a_delete() -> None:
    assert judge(case(updates(10))).holds == ()


SIZES = st.integers(0, 60)


@given(
    removed=st.integers(0, 40),
    asked=st.integers(0, 40),
    created=st.integers(0, 20),
    more=st.fixed_dictionaries(
        {"actual": SIZES, "desired": SIZES, "accepted": SIZES, "vanished": SIZES, "watched": SIZES}
    ),
    heavy=st.integers(1, 30),
    left=SIZES,
    past=st.lists(st.integers(1, 20), max_size=8),
    looked=st.integers(0, 3),
)
def test_the_numbers_of_a_guard_are_those_it_judges_by(**drawn: Any) -> None:
    gone = deletes(drawn["removed"] + drawn["asked"], weight=1)
    gone = tuple(replace(a, explicit=n < drawn["asked"]) for n, a in enumerate(gone))
    gone = (*gone[:-1], replace(gone[-1], weight=drawn["heavy"])) if gone else ()
    made = creates(drawn["created"])
    known = tuple(action.item for action in made[::2])
    remembered = ledger(
        looks=drawn["looked"], sizes=tuple(drawn["past"]), known=known, accepted=drawn["more"].pop("accepted")
    )
    judged = case((*made, *gone), ledger=remembered, rooms=room(drawn["left"]), **drawn["more"])
    for guard in GUARDS:
        if guard.measure is None:
            continue
        found, held = guard.measure(judged), guard.check(judged) is not None
        assert not held or (found is not None and found.exceeded), guard.name
        applies = guard.name == "mass_silence" or judged.deletes or guard.name == "fleet_budget"
        if found is not None and found.exceeded and applies and (guard.name != "mass_silence" or known):
            assert held, guard.name


def test_what_was_deleted_by_name_is_not_counted_as_shrinking() -> None:
    asked = tuple(replace(a, explicit=True) for a in deletes(30))
    judged = case((*asked, Action(verb=Verb.DELETE, item="y", before=1)), desired=69, accepted=100)
    [guard] = [guard for guard in GUARDS if guard.name == "shrunken_intent"]
    assert guard.measure is not None
    found = guard.measure(judged)
    assert found is not None
    assert (found.used, found.allowed, guard.check(judged)) == (1, 20, None)


def test_servers_of_an_account_that_are_gone_are_counted_together() -> None:
    judged = case(creates(1), known=("new-00000",), vanished=9, watched=10)
    [guard] = [guard for guard in GUARDS if guard.name == "mass_silence"]
    assert guard.measure is not None
    found = guard.measure(judged)
    assert found is not None
    assert (found.used, found.allowed) == (9, 3)
