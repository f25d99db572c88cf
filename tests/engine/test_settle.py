"""An act whose answer never came: a look decides it, or time does."""

import pytest

from setpoint.engine.entity import AnyEntity, AnyJson, Ref
from setpoint.engine.errors import Conflict, Missing, Rejected, Transient
from setpoint.engine.journal import settled
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Verb
from setpoint.engine.request import Past
from setpoint.engine.rows import Act, ActState
from setpoint.engine.store import PASTS_OF, Change, Drop, Put

from .plant import ANN, Plant
from .situations import act

CREATE = Action(verb=Verb.CREATE, item="dune", after=1)
DONE, FAILED = ActState.DONE, ActState.FAILED


async def enacted(plant: Plant, ref: Ref) -> Act:
    return await plant.journal.enact(await plant.mandate(ref), plant.loop, CREATE)


@pytest.mark.parametrize(
    ("verb", "look", "soon", "late"),
    [
        (Verb.CREATE, {"a": 1}, DONE, DONE),
        (Verb.CREATE, {"other": 1}, DONE, DONE),
        (Verb.CREATE, ABSENT, None, FAILED),
        (Verb.CREATE, UNKNOWN, None, None),
        (Verb.UPDATE, {"a": 1}, DONE, DONE),
        (Verb.UPDATE, {"other": 1}, None, FAILED),
        (Verb.UPDATE, ABSENT, None, FAILED),
        (Verb.UPDATE, UNKNOWN, None, None),
        (Verb.UNPARK, {"a": 1}, DONE, DONE),
        (Verb.REPLACE, {"a": 1}, DONE, DONE),
        (Verb.REPLACE, {"other": 1}, None, FAILED),
        (Verb.PARK, {"other": 1}, None, FAILED),
        (Verb.DELETE, ABSENT, DONE, DONE),
        (Verb.DELETE, {"a": 1}, None, FAILED),
        (Verb.DELETE, UNKNOWN, None, None),
    ],
    ids=str,
)
def test_a_look_settles_what_had_no_answer(
    verb: Verb, look: AnyJson | Absence, soon: ActState | None, late: ActState | None
) -> None:
    waiting = act("dune", verb, state=ActState.UNKNOWN, after={"a": 1}, deadline=100.0)
    assert settled(waiting, look, now=110.0, settles_in=10.0) is soon
    assert settled(waiting, look, now=110.1, settles_in=10.0) is late


async def test_a_call_that_landed_unheard_is_adopted_by_a_look(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    plant.loop.answers = {"dune": [Transient("no answer", landed=True)]}
    waiting = await enacted(plant, ref)
    [found] = await plant.journal.settle(await plant.entity(ref), plant.loop, (waiting,))
    assert (found.state, found.detail) == (DONE, "no answer; a look shows that it took effect")
    assert plant.acts() == [found]


async def test_a_conflict_is_adopted_by_a_look_when_it_was_our_own(plant: Plant) -> None:
    ref = await plant.shelf({}, found={"dune": 1})
    plant.loop.answers = {"dune": [Conflict("exists already")]}
    waiting = await enacted(plant, ref)
    [found] = await plant.journal.settle(await plant.entity(ref), plant.loop, (waiting,))
    assert (waiting.state, found.state) == (ActState.UNKNOWN, DONE)


async def test_a_call_that_never_landed_fails_when_its_time_is_up(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    waiting = await plant.journal.begin(await plant.mandate(ref), CREATE)
    entity = await plant.entity(ref)
    assert await plant.journal.settle(entity, plant.loop, (waiting,)) == (waiting,)
    plant.runtime.pass_by(25.1)
    [found] = await plant.journal.settle(entity, plant.loop, (waiting,))
    assert (found.state, found.detail) == (FAILED, "a look does not find it")


@pytest.mark.parametrize(
    ("verb", "found", "state", "said"),
    [
        (Verb.CREATE, {"dune": 1}, DONE, "a look shows that it took effect"),
        (Verb.CREATE, {}, FAILED, "a look does not find it"),
        (Verb.UPDATE, {"dune": 1}, DONE, "a look shows that it took effect"),
        (Verb.UPDATE, {"dune": 7}, FAILED, "a look shows another value"),
        (Verb.UPDATE, {}, FAILED, "a look does not find it"),
        (Verb.DELETE, {}, DONE, "a look shows that it took effect"),
        (Verb.DELETE, {"dune": 7}, FAILED, "a look still finds it"),
    ],
)
async def test_how_a_look_settled_an_act_is_told_in_its_words(
    plant: Plant, verb: Verb, found: dict[str, int], state: ActState, said: str
) -> None:
    ref = await plant.shelf({}, found=found)
    after = None if verb is Verb.DELETE else 1
    action = Action(verb=verb, item="dune", before=None if verb is Verb.CREATE else 7, after=after)
    waiting = await plant.journal.begin(await plant.mandate(ref), action)
    plant.runtime.pass_by(25.1)
    [ended] = await plant.journal.settle(await plant.entity(ref), plant.loop, (waiting,))
    assert (ended.state, ended.detail) == (state, said)


async def test_a_look_that_was_heard_late_settles_nothing_that_may_have_landed_since(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await plant.shelf({}, found={})
    waiting = await plant.journal.begin(await plant.mandate(ref), CREATE)
    entity = await plant.entity(ref)

    async def stopped(entity: AnyEntity, item: str) -> Absence:
        plant.runtime.pass_by(100.0)
        return ABSENT

    with monkeypatch.context() as patched:
        patched.setattr(plant.loop, "look", stopped)
        assert await plant.journal.settle(entity, plant.loop, (waiting,)) == (waiting,)
    plant.loop.found = {"dune": 1}
    [found] = await plant.journal.settle(entity, plant.loop, (waiting,))
    assert found.state is DONE


async def test_what_has_ended_is_not_looked_at_again(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    ended = await enacted(plant, ref)
    assert await plant.journal.settle(await plant.entity(ref), plant.loop, (ended,)) == (ended,)
    assert plant.loop.looked == []


async def as_ordered(entity: AnyEntity, item: str) -> AnyJson | Absence:
    """What is made is called after what was declared when it was ordered, as servers are after their make."""
    return 1 if item in entity.spec.books else ABSENT


async def test_what_was_ordered_is_looked_for_as_it_was_ordered(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plant.loop, "look", as_ordered)
    ref = await plant.shelf({"dune": 1}, found={})
    waiting = await plant.journal.begin(await plant.mandate(ref), CREATE)
    await plant.declare("shelf", "novels", books={"emma": 1})
    plant.runtime.pass_by(25.1)
    [found] = await plant.journal.settle(await plant.entity(ref), plant.loop, (waiting,))
    assert found.state is DONE


async def test_nothing_is_forgotten_that_stands_as_it_was_ordered(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plant.loop, "look", as_ordered)
    ref = await plant.shelf({"dune": 1}, found={})
    await plant.journal.begin(await plant.mandate(ref), CREATE)
    await plant.declare("shelf", "novels", books={"emma": 1})
    await plant.declarer.delete(ref, ANN)
    for _ in range(2):  # The first pass settles it.
        plant.runtime.pass_by(25.1)
        await plant.run(ref)
    assert (await plant.status(ref)).reason == "going, but a direct look still finds dune"


async def test_what_is_older_than_any_past_is_looked_for_as_it_is_declared(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    entity = await plant.entity(ref)
    [past] = await plant.store.read(PASTS_OF, ref=ref, limit=1)
    await plant.store.commit(Change(writes=(Drop(Past, past.key),)))
    assert await plant.journal.as_begun(entity, act("dune", Verb.CREATE, generation=99)) is entity


async def test_nothing_is_forgotten_whose_act_is_open_again_in_the_database_that_took_over(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    waiting = await plant.journal.begin(await plant.mandate(ref), CREATE)
    await plant.declarer.delete(ref, ANN)
    plant.runtime.pass_by(25.1)

    async def failover() -> None:
        await plant.store.commit(Change(writes=(Put(waiting),)))

    await plant.run(ref)
    assert [each.state for each in plant.acts()] == [FAILED]
    plant.runtime.pass_by(plant.loop.settles_in)
    with monkeypatch.context() as patched:
        patched.setattr(plant.loop, "while_observing", failover)
        with pytest.raises(Conflict, match=waiting.id):
            await plant.run(ref)
    for _ in range(2):  # It is settled once more, and then waited for.
        await plant.run(ref)
        plant.runtime.pass_by(plant.loop.settles_in)
    assert await plant.intent.entity(ref) is None


async def test_nothing_is_forgotten_while_a_failed_act_may_have_made_it_all_the_same(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers = {"dune": [Rejected("the action ended in an error")]}
    assert (await enacted(plant, ref)).state is FAILED
    await plant.declarer.delete(ref, ANN)
    await plant.run(ref)
    assert (await plant.status(ref)).reason == "going, but an act on it has no answer yet"
    plant.loop.found = {"dune": 1}  # It was made, and is seen only now.
    plant.runtime.pass_by(plant.loop.settles_in)
    await plant.run(ref)
    assert await plant.intent.entity(ref) is not None


async def test_nothing_is_forgotten_that_was_just_made_because_a_later_act_failed(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    assert (await enacted(plant, ref)).state is DONE
    plant.loop.found = {}  # It is there, and not seen yet.
    plant.loop.answers = {"dune": [Missing("dune is not at the provider")]}
    update = Action(verb=Verb.UPDATE, item="dune", before=1, after=2)
    assert (await plant.journal.enact(await plant.mandate(ref), plant.loop, update)).state is FAILED
    await plant.declarer.delete(ref, ANN)
    await plant.run(ref)
    assert (await plant.status(ref)).reason == "going, but an act on it has no answer yet"
