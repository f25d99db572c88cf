"""A pass on record is judged again as it was, or as it would have been under other limits."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case, Look
from setpoint.engine.entity import Ref, hash_of
from setpoint.engine.guards import judge
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.plan import ABSENT, UNKNOWN, Verb
from setpoint.engine.record import Recorded, recordable, rehearsed, replayed
from setpoint.engine.rows import Act, Approval, HoldRow

from .plant import Plant
from .situations import ALONE, act, case, deletes, updates


def on_record(judged: Case, *agreed: Approval) -> Recorded:
    return Recorded(
        id="r1",
        ref=Ref("zone/1"),
        kind="zone",
        name="z",
        organization="acme",
        at=judged.now,
        case=recordable(judged),
        agreed=agreed,
        verdict=judge(judged, agreed),
    )


def stored(recorded: Recorded) -> Recorded:
    """As it comes back from any store."""
    return msgspec.json.decode(msgspec.json.encode(recorded), type=Recorded)


@pytest.mark.parametrize("name", ALONE)
def test_the_situation_of_every_guard_replays_to_the_same_verdict(name: str) -> None:
    recorded = stored(on_record(ALONE[name]))
    assert replayed(recorded) == recorded.verdict == judge(ALONE[name])


@pytest.mark.parametrize("seen", [ABSENT, UNKNOWN, None, 0, {"a": [1, None]}], ids=str)
def test_what_a_look_said_survives_the_record(seen: object) -> None:
    look = Look.of("www", seen)
    assert msgspec.json.decode(msgspec.json.encode(look), type=Look).seen == seen


def test_an_approval_is_on_record_with_the_pass_it_let_through() -> None:
    holds = (HoldRow(guard="delete_budget", message="", withholds="deletes"),)
    agreed = Approval(
        id="y",
        ref=Ref("zone/1"),
        plan="p",
        digest="d",
        items={a.item: a.line for a in deletes(20)},
        waives=tuple(hold.guard for hold in holds),
        approver="ann",
        reason="ok",
        created_at=0.0,
        expires_at=9e9,
    )
    recorded = stored(on_record(case(deletes(20)), agreed))
    assert len(replayed(recorded).allowed) == 20
    assert replayed(replace(recorded, agreed=())).allowed == ()


@pytest.mark.parametrize(
    ("limits", "held"),
    [(Limits(), False), (Limits(deletes_ceiling=4), True), (Limits(deletes_share=0.04), True)],
)
def test_a_proposed_limit_shows_what_it_would_have_held(limits: Limits, held: bool) -> None:
    recorded = on_record(case(deletes(5)))
    assert ("delete_budget" in [hold.guard for hold in rehearsed(recorded, limits).holds]) == held
    assert (rehearsed(recorded, limits).allowed == ()) == held


def test_what_nobody_touches_again_is_on_record_without_its_values() -> None:
    recent = (
        act("old-00000", Verb.UPDATE, before="b", after="a"),
        act("other", Verb.UPDATE, before="b", after="a"),
    )
    kept = recordable(case(updates(1), recent=recent)).recent
    assert [(each.item, each.before, each.after) for each in kept] == [
        ("old-00000", "b", "a"),
        ("other", None, None),
    ]


async def test_a_pass_with_something_to_decide_is_recorded_once_and_a_quiet_one_is_not(kept: Plant) -> None:
    ref = await kept.shelf({f"{n:02d}": n for n in range(30)})
    assert kept.rows(Recorded) == []
    await kept.declare("shelf", "novels", books={f"{n:02d}": n for n in range(9, 30)})
    for _ in range(5):
        await kept.run(ref)
    [recorded] = kept.rows(Recorded)
    assert [hold.guard for hold in recorded.verdict.holds] == ["shrunken_intent", "delete_budget"]
    assert (recorded.ref, recorded.kind, recorded.organization) == (ref, "shelf", "acme")
    assert recorded.case.footing == (await kept.ledger(ref)).footing != hash_of([])


async def test_every_pass_that_acted_is_recorded(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abcdefg", 1), found={})
    await plant.calm(ref)
    assert [len(row.verdict.allowed) for row in plant.rows(Recorded)] == [1, 4, 2]


VALUES = st.recursive(
    st.none() | st.integers(-3, 3) | st.text(max_size=2), lambda inner: st.lists(inner, max_size=2)
)


@given(st.lists(VALUES, max_size=4), st.lists(VALUES, max_size=4))
def test_whatever_the_values_a_record_replays(before: list[object], after: list[object]) -> None:
    pairs = list(zip(updates(4), before, after, strict=False))
    actions = tuple(replace(action, before={"f": b}, after={"f": a}) for action, b, a in pairs)
    recent = tuple(recent_act(action.item, b, a, n) for action, b, a in pairs for n in range(3))
    recorded = stored(on_record(case(actions, recent=recent, wave=4)))
    assert replayed(recorded) == recorded.verdict


def recent_act(item: str, before: object, after: object, number: int) -> Act:
    return act(item, Verb.UPDATE, age=HOUR / 4 * (number + 0.5), before={"f": before}, after={"f": after})
