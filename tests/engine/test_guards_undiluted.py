"""Strangers never dilute a guard: however many more things are seen, what was held is held."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.guards import GUARDS, judge
from setpoint.engine.plan import Action, Verb
from setpoint.engine.remember import next_ledger

from .situations import ALONE, case, creates


def among_strangers(judged: Case, number: int, *, kept: int) -> Case:
    """The same case with so many more things there that nobody declares; the first `kept` are ours by now."""
    strangers = [f"stranger-{n}" for n in range(number)]
    plan = judged.plan
    gone = tuple(Action(verb=Verb.DELETE, item=item, before=1) for item in strangers)
    known = tuple(sorted({*judged.ledger.known, *strangers[:kept]}))
    seen = replace(
        plan,
        actions=(*plan.actions, *gone),
        actual=plan.actual + number,
        known=plan.known | set(strangers),
        weight=plan.weight + number if plan.weight else 0,
    )
    return replace(judged, plan=seen, ledger=replace(judged.ledger, known=known))


@given(name=st.sampled_from(sorted(ALONE)), number=st.integers(0, 500), data=st.data())
def test_what_a_guard_withholds_it_withholds_among_strangers_too(
    name: str, number: int, data: st.DataObject
) -> None:
    judged = ALONE[name]
    crowd = among_strangers(judged, number, kept=data.draw(st.integers(0, number)))
    assert name in {guard.name for guard in GUARDS}
    held = {action.item for action in judged.plan.actions}
    assert not held & {action.item for action in judge(crowd).allowed}


@given(number=st.integers(0, 500), looks=st.integers(1, 5))
def test_a_mass_silence_does_not_let_go_by_repetition(number: int, looks: int) -> None:
    ours = tuple(action.item for action in creates(12))
    judged = among_strangers(case(creates(12), desired=12, actual=0, known=ours), number, kept=0)
    for _ in range(looks):
        verdict = judge(judged)
        assert "mass_silence" in {hold.guard for hold in verdict.holds}
        judged = replace(judged, ledger=next_ledger(judged, verdict, ()))
    assert judged.ledger.known == ours
