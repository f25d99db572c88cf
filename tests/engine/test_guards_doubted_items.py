"""Guards that doubt one item: an act without an answer, a listing that a look contradicts."""

import pytest

from setpoint.engine.doubts.truth import unsettled_items
from setpoint.engine.guards import judge
from setpoint.engine.plan import ABSENT, UNKNOWN, Action, Verb
from setpoint.engine.rows import ActState

from .situations import NOW, act, case, looks

CREATE = Action(verb=Verb.CREATE, item="www", after=1)
UPDATE = Action(verb=Verb.UPDATE, item="www", before=1, after=2)
DELETE = Action(verb=Verb.DELETE, item="www", before=1)
REPLACE = Action(verb=Verb.REPLACE, item="www", before=1, after=2)
OTHER = Action(verb=Verb.CREATE, item="mail", after=1)


@pytest.mark.parametrize("state", [ActState.STARTED, ActState.UNKNOWN])
@pytest.mark.parametrize("action", [CREATE, UPDATE, DELETE], ids=["create", "update", "delete"])
def test_an_item_with_an_open_act_is_not_touched_and_the_rest_goes_on(
    action: Action, state: ActState
) -> None:
    verdict = judge(case((action, OTHER), recent=(act("www", Verb.UPDATE, state=state, age=10_000),)))
    assert verdict.allowed == (OTHER,)
    assert verdict.holds[0].items == ("www",)


@pytest.mark.parametrize(
    ("action", "age", "held"),
    [
        (CREATE, 5.0, True),
        (REPLACE, 5.0, True),
        (CREATE, 10.0, False),
        (UPDATE, 5.0, False),
        (DELETE, 5.0, False),
    ],
    ids=["not seen yet", "only the old one is seen", "long enough", "seen and changed", "seen and unwanted"],
)
@pytest.mark.parametrize("made", [Verb.CREATE, Verb.REPLACE])
def test_what_was_just_made_and_is_not_seen_is_not_made_again(
    made: Verb, action: Action, age: float, held: bool
) -> None:
    verdict = judge(case((action,), recent=(act("www", made, age=age),)))
    assert any(hold.guard == "unsettled" for hold in verdict.holds) == held
    assert verdict.allowed == () or not held


@pytest.mark.parametrize(
    ("later", "state", "seen"),
    [
        (Verb.DELETE, ActState.DONE, True),
        (Verb.DELETE, ActState.FAILED, False),
        (Verb.UPDATE, ActState.DONE, False),
        (Verb.PARK, ActState.FAILED, False),
        (Verb.CREATE, ActState.FAILED, False),
    ],
)
def test_what_was_just_made_is_doubted_until_it_is_taken_away_again(
    later: Verb, state: ActState, seen: bool
) -> None:
    recent = (act("www", later, age=1.0, state=state), act("www", Verb.CREATE, age=5.0))
    assert list(unsettled_items(recent, NOW, 10.0)) == ([] if seen else ["www"])


@pytest.mark.parametrize(
    ("action", "look", "agrees"),
    [
        (CREATE, ABSENT, True),
        (CREATE, UNKNOWN, False),
        (CREATE, 1, False),
        (CREATE, None, False),
        (DELETE, 1, True),
        (DELETE, ABSENT, True),
        (DELETE, UNKNOWN, False),
        (DELETE, 2, False),
    ],
    ids=str,
)
def test_a_look_must_agree_before_an_absence_is_acted_on(action: Action, look: object, agrees: bool) -> None:
    verdict = judge(case((action,), looks=looks(www=look)))
    assert (verdict.allowed == (action,)) == agrees
    assert ([hold.guard for hold in verdict.holds] == []) == agrees


def test_a_contradicted_item_is_withheld_and_the_rest_goes_on() -> None:
    verdict = judge(case((CREATE, OTHER), looks=looks(www=1, mail=ABSENT), wave=1))
    assert verdict.allowed == (OTHER,)
    assert verdict.holds[0].message == "the listing and a direct look disagree about www"
