"""What was made by an act that the journal does not hold is newer than the database: nothing destroys it."""

import pytest

from setpoint.engine import guards
from setpoint.engine.entity import Ref, State
from setpoint.engine.guards import GUARDS, judge
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import Act, ActState

from .people import approve
from .plant import Plant
from .situations import case, creates, deletes, updates

BOOKS = {f"{number:02d}": number for number in range(40)}
FEWER = dict(list(BOOKS.items())[:-1])
LAST = "39"
REPLACE = Action(verb=Verb.REPLACE, item="server", before=1, after=2)
PARK = Action(verb=Verb.PARK, item="server", before=1)


def newer(*items: str) -> frozenset[str]:
    return frozenset(items)


def test_what_is_newer_is_held_with_its_number_and_its_names() -> None:
    [hold] = judge(case(deletes(2), newer=newer("x-00000", "x-00001", "elsewhere"))).holds
    assert (hold.guard, hold.withholds) == ("newer_than_journal", "deletes")
    assert hold.items == ("x-00000", "x-00001")
    assert hold.message == (
        "2 carry our mark from acts that this journal does not hold: x-00000, x-00001; "
        "the database is older than the world"
    )


def test_all_deletes_wait_together_and_what_is_built_goes_on() -> None:
    verdict = judge(case((*creates(1), *updates(1), *deletes(3)), newer=newer("x-00001"), wave=4))
    assert [action.item for action in verdict.allowed] == ["new-00000", "old-00000"]


@pytest.mark.parametrize("action", [*updates(1), *creates(1)], ids=["update", "create"])
def test_what_is_not_destroyed_is_not_held(action: Action) -> None:
    verdict = judge(case((action,), newer=newer(action.item)))
    assert (verdict.allowed, verdict.holds) == ((action,), ())


@pytest.mark.parametrize("action", [REPLACE, PARK, *deletes(1)], ids=["replace", "park", "delete"])
@pytest.mark.parametrize("deleting", [False, True])
def test_no_way_to_destroy_it_is_spared_not_even_by_name(action: Action, *, deleting: bool) -> None:
    asked = Action(verb=action.verb, item=action.item, before=1, after=action.after, explicit=True)
    verdict = judge(case((asked,), newer=newer(action.item), deleting=deleting))
    assert (verdict.allowed, [hold.guard for hold in verdict.holds]) == ((), ["newer_than_journal"])


def test_what_the_journal_made_is_not_held() -> None:
    assert judge(case(deletes(2), newer=newer("x-00005"))).holds == ()


async def marked(plant: Plant, act: str) -> Ref:
    """A shelf on which one book is not declared, and whose mark names this act."""
    ref = await plant.shelf(BOOKS)
    await plant.put(
        Act(id="known", domain=ref, organization="acme", verb=Verb.CREATE, item=LAST, state=ActState.DONE)
    )
    await plant.declare("shelf", "novels", books=FEWER)
    plant.loop.say = {"marks": {LAST: act}}
    return ref


async def test_a_thing_whose_act_is_in_the_journal_is_deleted(kept: Plant) -> None:
    await kept.run(await marked(kept, "known"))
    assert LAST not in kept.loop.found


async def test_a_thing_whose_act_is_not_in_the_journal_waits_for_a_person(kept: Plant) -> None:
    ref = await marked(kept, "lost")
    for _ in range(3):
        await kept.run(ref)
    status = await kept.status(ref)
    assert (status.state, "1 carry our mark" in status.reason) == (State.HELD, True)
    assert kept.loop.found == BOOKS
    await approve(kept, kept.plans()[-1])
    await kept.calm(ref)
    assert kept.loop.found == FEWER


async def test_removed_it_is_deleted_at_the_first_pass(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = await marked(plant, "lost")
    rows = tuple(guard for guard in GUARDS if guard.name != "newer_than_journal")
    monkeypatch.setattr(guards, "GUARDS", rows)
    await plant.run(ref)
    assert plant.loop.found == FEWER
