"""The act protocol: nothing begins on old knowledge, nothing is called unrecorded, nothing stays in doubt."""

from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from setpoint.engine import consent
from setpoint.engine.audit import broken_at
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import Act, ActState, Approval, Mode, Switch
from setpoint.engine.store import Change, Put
from setpoint.storage.memory import MemoryStore

from .plant import ACME, SHOP, Plant

CREATE = Action(verb=Verb.CREATE, item="dune", after=1)
UPDATE = Action(verb=Verb.UPDATE, item="dune", before=1, after=2)
DELETE = Action(verb=Verb.DELETE, item="dune", before=1)
DONE, FAILED = ActState.DONE, ActState.FAILED


async def begun(plant: Plant, ref: Ref, action: Action = CREATE) -> Act:
    return await plant.journal.begin(await plant.mandate(ref), action)


async def enacted(plant: Plant, ref: Ref, action: Action = CREATE, *agreed: Approval) -> Act:
    return await plant.journal.enact(await plant.mandate(ref, *agreed), plant.loop, action)


async def test_an_act_is_recorded_before_the_call_and_after_it(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    recorded: list[ActState] = []

    async def meanwhile() -> None:
        recorded.extend(act.state for act in plant.acts())

    plant.loop.while_acting = meanwhile
    await enacted(plant, ref)
    assert [*recorded, plant.acts()[0].state] == [ActState.STARTED, DONE]
    assert plant.meter.told[-1] == ("acted", "shelf", "create", "done")


async def test_an_act_says_what_who_for_and_until_when(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    found = await begun(plant, ref, UPDATE)
    assert (found.domain, found.organization, found.verb, found.item) == (ref, "acme", Verb.UPDATE, "dune")
    assert (found.before, found.after, found.epoch, found.generation) == (1, 2, 1, 1)
    assert found.deadline == plant.runtime.now() + 15.0


async def redeclared(plant: Plant) -> None:
    await plant.declare("shelf", "novels", books={"other": 1})


async def taken_over(plant: Plant) -> None:
    await plant.taken_over()


@pytest.mark.parametrize("moved", [redeclared, taken_over])
async def test_nothing_begins_when_intent_or_epoch_moved(
    plant: Plant, moved: Callable[[Plant], Awaitable[None]]
) -> None:
    mandate = await plant.mandate(await plant.shelf({}, found={}))
    await moved(plant)
    with pytest.raises(Conflict, match=r"was expected with (generation|epoch) 1, and has 2"):
        await plant.journal.enact(mandate, plant.loop, CREATE)
    assert (plant.acts(), plant.loop.acts) == ([], [])


async def keys_above(plant: Plant, ref: Ref) -> list[str]:
    account = (await plant.entity(ref)).declared.refs[0]
    return ["all", "kind:shelf", f"scope:{ACME}", f"scope:{SHOP}", f"domain:{account}", f"domain:{ref}"]


async def with_account(plant: Plant, mode: str = "run") -> Ref:
    await plant.declare("account", "cloud", scope=ACME, mode=mode)
    return (await plant.declare("shelf", "novels", account="cloud")).ref


@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("mode", [Mode.STOP, Mode.OBSERVE])
async def test_a_switch_at_any_level_stops_every_act(plant: Plant, level: int, mode: Mode) -> None:
    ref = await with_account(plant)
    await plant.switch(mode, (await keys_above(plant, ref))[level])
    with pytest.raises(Denied, match=rf"{mode} by ann \(storm\)"):
        await enacted(plant, ref)
    assert (plant.acts(), plant.loop.acts) == ([], [])


@pytest.mark.parametrize("key", ["kind:lamp", "scope:acme/other", "domain:account/other", "domain:shelf/9"])
async def test_a_switch_beside_an_entity_stops_nothing(plant: Plant, key: str) -> None:
    ref = await with_account(plant)
    await plant.switch(Mode.STOP, key)
    assert (await enacted(plant, ref)).state is DONE


@pytest.mark.parametrize(
    ("verb", "begins"),
    [
        (Verb.CREATE, True),
        (Verb.UPDATE, True),
        (Verb.UNPARK, True),
        (Verb.DELETE, False),
        (Verb.PARK, False),
        (Verb.REPLACE, False),
    ],
)
async def test_no_deletes_stops_what_destroys_and_nothing_else(
    plant: Plant, verb: Verb, begins: bool
) -> None:
    ref = await with_account(plant, mode="no-deletes")
    action = Action(verb=verb, item="dune", before=1, after=1, explicit=True)
    if begins:
        assert (await enacted(plant, ref, action)).state is DONE
    else:
        with pytest.raises(Denied, match="no-deletes by account cloud"):
            await enacted(plant, ref, action)


async def test_a_process_that_is_about_to_end_begins_nothing(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    journal = replace(plant.journal, stopping=lambda: True)
    with pytest.raises(Conflict, match="this process is about to end"):
        await journal.enact(await plant.mandate(ref), plant.loop, CREATE)
    assert (plant.acts(), plant.loop.acts) == ([], [])


async def test_an_account_that_is_not_declared_any_more_bounds_nothing(plant: Plant) -> None:
    ref = await with_account(plant)
    await plant.drop(await plant.store.get(Declared, (await plant.entity(ref)).declared.refs[0]))
    assert (await enacted(plant, ref)).state is DONE


class MovingStore(MemoryStore):
    """Lets somebody else be faster: one commit slips in before ours."""

    faster: Change | None = None

    async def commit(self, change: Change) -> None:
        faster, self.faster = self.faster, None
        if faster is not None:
            await super().commit(faster)
        await super().commit(change)


STOP = Switch(key="all", mode=Mode.STOP, by="ann", reason="storm", since=0.0)


@pytest.mark.parametrize("before", [None, replace(STOP, mode=Mode.RUN)], ids=["unset", "at run"])
async def test_a_switch_flipped_between_reading_and_beginning_stops_the_act(before: Switch | None) -> None:
    store = MovingStore()
    plant = await Plant(store).start()
    ref = await plant.shelf({}, found={})
    if before:
        await plant.put(before)
    store.faster = Change(writes=(Put(replace(STOP, version=2)),))
    with pytest.raises(Conflict):
        await enacted(plant, ref)
    assert (plant.acts(), plant.loop.acts) == ([], [])


async def test_an_account_edited_between_reading_and_beginning_stops_the_act() -> None:
    store = MovingStore()
    plant = await Plant(store).start()
    ref = await with_account(plant)
    account = await store.get(Declared, (await plant.entity(ref)).declared.refs[0])
    assert account is not None
    store.faster = Change(writes=(Put(replace(account, generation=2, spec={"mode": "observe"})),))
    with pytest.raises(Conflict):
        await enacted(plant, ref)


async def test_a_second_act_on_an_item_is_refused_while_the_first_is_open(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    await begun(plant, ref, CREATE)
    with pytest.raises(Conflict, match="is taken by"):
        await begun(plant, ref, UPDATE)
    assert (await begun(plant, ref, replace(CREATE, item="emma"))).open
    assert len(plant.acts()) == 2


@pytest.mark.parametrize(
    ("error", "verb", "state"),
    [
        (None, Verb.CREATE, DONE),
        (Transient("no answer", landed=True), Verb.CREATE, ActState.UNKNOWN),
        (Transient("refused"), Verb.CREATE, FAILED),
        (Conflict("exists"), Verb.CREATE, ActState.UNKNOWN),
        (Rejected("too long"), Verb.CREATE, FAILED),
        (Denied("read only"), Verb.CREATE, FAILED),
        (Missing("no shelf"), Verb.CREATE, FAILED),
        (Missing("gone"), Verb.UPDATE, FAILED),
        (Missing("gone"), Verb.DELETE, DONE),
    ],
    ids=str,
)
async def test_each_answer_ends_an_act_in_one_way(
    plant: Plant, error: Exception | None, verb: Verb, state: ActState
) -> None:
    ref = await plant.shelf({}, found={})
    plant.loop.answers = {"dune": [error] if error else []}
    ended = await enacted(plant, ref, replace(CREATE, verb=verb))
    assert (ended.state, ended.detail) == (state, str(error or ""))
    assert plant.acts() == [ended]


async def test_a_bug_in_a_loop_is_told_and_leaves_the_act_open_for_a_look(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    bug, told = KeyError("a bug"), []
    plant.loop.answers = {"dune": [bug]}
    plant.journal = replace(plant.journal, broke=lambda *about: told.append(about))
    ended = await enacted(plant, ref)
    assert (ended.state, ended.detail, told) == (
        ActState.UNKNOWN,
        "raised KeyError; the log has more",
        [(ref, bug)],
    )


async def test_an_approval_is_spent_in_the_commit_that_begins_the_act(plant: Plant) -> None:
    ref = await plant.shelf({}, found={"dune": 1})
    agreed = Approval(
        id="y1",
        ref=ref,
        plan="p1",
        digest="d",
        items={"dune": DELETE.line},
        waives=("delete_budget",),
        approver="ann",
        reason="ok",
        created_at=0.0,
        expires_at=9e9,
    )
    plant.loop.answers = {"dune": [Rejected("in use")]}
    ended = await enacted(plant, ref, DELETE, agreed)
    assert (ended.state, ended.approval) == (FAILED, "y1")
    assert await plant.store.get(Approval, "y1") == consent.spend(agreed, "dune")
    assert plant.audit()[-2].detail["approval"] == "y1"


async def test_every_act_leaves_evidence_of_its_beginning_and_its_end(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    plant.loop.answers = {"emma": [Rejected("too long")]}
    for item in ("dune", "emma"):
        await enacted(plant, ref, replace(CREATE, item=item))
    told = [(line.action, line.detail["item"]) for line in plant.audit() if line.actor == "scheduler"]
    assert told == [
        ("act.started", "dune"),
        ("act.done", "dune"),
        ("act.started", "emma"),
        ("act.failed", "emma"),
    ]
    assert broken_at(plant.audit()) is None
    assert plant.events()[-1].message == "create emma: too long"


async def test_without_evidence_nothing_begins(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    unspellable = Action(verb=Verb.CREATE, item="dune", after=object())
    with pytest.raises(TypeError):
        await enacted(plant, ref, unspellable)
    assert (plant.acts(), plant.loop.acts) == ([], [])


async def test_the_switch_file_is_asked_inside_begin_and_once_more_before_the_call(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    journal = replace(plant.journal, halted=lambda: "ann (a fire)")
    with pytest.raises(Denied, match=r"stop by ann \(a fire\)"):
        await journal.enact(await plant.mandate(ref), plant.loop, CREATE)
    assert (plant.acts(), plant.loop.acts) == ([], [])
    said = iter(("", "ann (a fire)"))
    between = replace(plant.journal, halted=lambda: next(said))
    act = await between.enact(await plant.mandate(ref), plant.loop, CREATE)
    assert (act.state, act.deferred, act.fault, plant.loop.acts) == (FAILED, True, "", [])
