"""One pass: observe, plan, guard, enact, tell."""

from string import ascii_lowercase

import pytest

from setpoint.engine.agenda import NEVER
from setpoint.engine.conclude import OVERTAKEN_SECONDS
from setpoint.engine.entity import Condition, Declared, State, Status
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.plan import ABSENT, Action, Start, Verb
from setpoint.engine.rows import Mode, Task, TaskState, Wake

from .fake_runtime import START
from .plant import Plant


async def test_a_pass_closes_the_difference_and_says_so(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    assert await plant.run(ref) == 0.0
    assert (await plant.status(ref)).reason == "converging: 1 to create"
    assert await plant.run(ref) is None
    status = await plant.status(ref)
    assert (plant.loop.found, status.state, status.reason) == ({"dune": 1}, State.READY, "as declared")


async def test_a_quiet_pass_writes_nothing_at_all(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2})
    before = plant.contents()
    plant.runtime.pass_by(60)
    assert await plant.run(ref) is None
    assert plant.contents() == before


async def test_a_quiet_pass_over_held_things_writes_nothing_either(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({}, found={"dune": 1, "emma": 2}))
    await plant.run(ref)
    before = plant.contents()
    plant.runtime.pass_by(60)
    await plant.run(ref)
    assert plant.contents() == before


async def test_sizes_are_told_before_anything_acts_on_them(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={"emma": 1, "ulysses": 1})
    await plant.run(ref)
    assert plant.meter.told == [
        ("diff", "shelf", 1, 0, 2),
        ("acted", "shelf", "create", "done"),
        ("passed", "shelf", "acted"),
        ("held", "shelf", "delete_budget"),
        ("held", "shelf", "probation"),
    ]


async def test_the_wakes_a_pass_read_go_and_one_that_came_later_stays(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    later = Wake(id="later", ref=ref, reason="meanwhile")
    plant.loop.while_observing = lambda: plant.put(later)
    await plant.run(ref)
    assert [wake for wake in plant.rows(Wake) if wake.ref == ref] == [later]


async def test_a_pass_that_changes_its_own_state_is_no_reason_for_another(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    await plant.run(ref)
    assert (await plant.status(ref)).state is State.READY
    assert ref not in plant.wakes()


async def test_intent_that_changes_during_a_pass_stops_its_acts_and_is_the_next_ones(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})

    async def edited() -> None:
        await plant.declare("shelf", "novels", books={"emma": 2})

    plant.loop.while_observing = edited
    assert await plant.run(ref) == 0.1
    assert (plant.acts(), (await plant.status(ref)).generation) == ([], 1)
    assert (await plant.status(ref)).state is State.PENDING
    assert ref in plant.wakes()


async def test_what_is_not_declared_any_more_is_forgotten_with_its_wakes(plant: Plant) -> None:
    ref = await plant.shelf({}, found={})
    await plant.drop(await plant.store.get(Declared, ref))
    assert await plant.run(ref) == NEVER
    assert ref not in plant.wakes()
    before = plant.contents()
    assert await plant.run(ref) == NEVER
    assert plant.contents() == before


FAILED_LOOKS: list[tuple[Exception, State, State]] = [
    (Transient("no answer"), State.DEGRADED, State.PENDING),
    (Denied("bad token"), State.DEGRADED, State.PENDING),
    (Missing("no account"), State.PENDING, State.PENDING),
    (Conflict("a stranger"), State.PENDING, State.PENDING),
    (Rejected("bad spec"), State.FAILED, State.FAILED),
]


@pytest.mark.parametrize(("error", "seen", "unseen"), FAILED_LOOKS, ids=str)
async def test_a_pass_that_cannot_see_keeps_the_facts_and_acts_on_nothing(
    plant: Plant, error: Exception, seen: State, unseen: State
) -> None:
    ref = await plant.shelf({"dune": 1})
    facts = (await plant.status(ref)).facts
    plant.loop.blind, plant.loop.found = error, {}
    acts = len(plant.acts())
    await plant.run(ref)
    status = await plant.status(ref)
    assert (status.state, status.reason, status.facts) == (seen, str(error), facts)
    assert (status.failures, len(plant.acts())) == (1, acts)


@pytest.mark.parametrize(("error", "seen", "unseen"), FAILED_LOOKS, ids=str)
async def test_what_was_never_seen_is_pending_until_it_is(
    plant: Plant, error: Exception, seen: State, unseen: State
) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.blind = error
    await plant.run(ref)
    assert ((await plant.status(ref)).state, (await plant.status(ref)).generation) == (unseen, 0)


async def test_the_wait_after_failures_grows_and_one_good_pass_ends_it(plant: Plant) -> None:
    ref = await plant.shelf({})
    plant.loop.blind = Transient("no answer")
    waits = [await plant.run(ref) for _ in range(4)]
    assert waits == [0.6, 1.1, 2.1, 4.1]
    plant.loop.blind = None
    await plant.run(ref)
    assert ((await plant.status(ref)).failures, (await plant.status(ref)).state) == (0, State.READY)


async def test_a_provider_that_says_when_to_come_back_is_believed(plant: Plant) -> None:
    ref = await plant.shelf({})
    plant.loop.blind = Transient("slow down", retry_after=42.0)
    assert await plant.run(ref) == 42.0


async def test_a_status_says_since_when_its_state_holds_and_about_which_generation(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    await plant.run(ref)
    assert ((await plant.status(ref)).since, (await plant.status(ref)).generation) == (START, 1)
    plant.runtime.pass_by(5)
    await plant.run(ref)
    plant.runtime.pass_by(5)
    await plant.declare("shelf", "novels", books={"dune": 1, "emma": 1})
    plant.loop.found["emma"] = 1
    await plant.run(ref)
    status = await plant.status(ref)
    assert (status.since, status.generation, status.observed_at) == (START + 5, 2, START + 10)


async def test_a_refused_change_fails_alone_and_is_tried_again_later(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2}, found={})
    plant.loop.answers = {"dune": [Rejected("too long")] * 2}
    assert await plant.run(ref) == 0.0
    status = await plant.status(ref)
    assert (status.state, status.reason) == (
        State.DEGRADED,
        "1 of 2 cannot be changed: create dune: too long",
    )
    await plant.calm(ref)
    assert plant.loop.found == {"emma": 2}
    for _ in range(2):
        plant.runtime.pass_by(await plant.run(ref) or 60.0)
        await plant.calm(ref)
    plant.runtime.pass_by(60.0)
    await plant.calm(ref)
    assert (await plant.status(ref)).state is State.READY
    assert [act.item for act in plant.loop.acts] == ["dune", "emma", "dune", "dune"]


async def test_where_everything_is_refused_the_whole_has_failed(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers = {"dune": [Rejected("too long")]}
    await plant.run(ref)
    status = await plant.status(ref)
    assert (status.state, status.reason) == (State.FAILED, "create dune: too long")


@pytest.mark.parametrize(
    "error", [Rejected("bad"), Conflict("perhaps"), Missing("no parent"), Transient("502", landed=True)]
)
@pytest.mark.parametrize("bad", ["a", "b", "g"])
async def test_one_turn_does_all_but_the_key_that_fails(plant: Plant, error: Exception, bad: str) -> None:
    ref = await plant.shelf(dict.fromkeys("abcdefg", 1), found={})
    plant.loop.answers, plant.loop.looks = {bad: [error] * 99}, {bad: ABSENT}
    await plant.reconciler.reconcile(ref)
    assert plant.loop.found.keys() >= set("abcdefg") - {bad}
    assert [act.item for act in plant.loop.acts].count(bad) == 1


async def test_a_deletion_waits_while_something_cannot_be_built(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({"new": 1, "other": 1}, found={"old": 1, "other": 1}))
    plant.loop.answers = {"new": [Rejected("bad")] * 99}
    await plant.reconciler.reconcile(ref)
    assert plant.loop.found == {"old": 1, "other": 1}


@pytest.mark.parametrize(
    ("error", "tried"),
    [
        (Denied("401"), "abcdefghijk"),
        (Transient("refused"), "abcdefghijk"),
        (Transient("429", retry_after=1.0), "a"),
    ],
)
async def test_an_account_in_trouble_ends_the_turn(plant: Plant, error: Exception, tried: str) -> None:
    ref = await plant.shelf(dict.fromkeys(ascii_lowercase, 1), found={})
    plant.loop.answers = {item: [error] * 99 for item in ascii_lowercase}
    await plant.reconciler.reconcile(ref)
    assert [act.item for act in plant.loop.acts] == list(tried)


@pytest.mark.parametrize("error", [Denied("403"), Transient("500"), Rejected("bad"), KeyError("x")])
@pytest.mark.parametrize("bad", ["a", "abcd", "cfim", "jkl", "z", "abcdefghij", "ceghikmoqz", "qrstuvwxyz"])
async def test_keys_that_fail_cost_the_others_nothing_in_the_same_turn(
    plant: Plant, error: Exception, bad: str
) -> None:
    ref = await plant.shelf(dict.fromkeys(ascii_lowercase, 1), found={})
    plant.loop.answers = {item: [error] * 99 for item in bad}
    await plant.reconciler.reconcile(ref)
    assert plant.loop.found == dict.fromkeys(set(ascii_lowercase) - set(bad), 1)
    status, unsettled = await plant.status(ref), isinstance(error, KeyError)  # A look has to tell.
    assert status.state is (State.PENDING if unsettled else State.DEGRADED)
    assert unsettled or status.reason.startswith(f"{len(bad)} of 26 cannot be changed: ")


async def test_three_in_a_row_without_an_answer_end_the_turn(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abcdefghijklmnop", 1), found={})
    silence = [Transient("no answer", landed=True)]
    plant.loop.answers = dict.fromkeys("cdefghijklmnop", silence * 99)
    plant.loop.looks = dict.fromkeys("cdefghijklmnop", ABSENT)
    assert await plant.reconciler.reconcile(ref) != 0.0
    assert [act.item for act in plant.loop.acts] == list("abcde")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (Mode.OBSERVE, "observe by ann (storm): nothing is changed (1 to create, 1 to delete)"),
        (Mode.STOP, "stop by ann (storm): nothing is changed (1 to create, 1 to delete)"),
    ],
)
async def test_with_the_switch_off_a_pass_only_looks_and_says_what_waits(
    plant: Plant, mode: Mode, reason: str
) -> None:
    ref = await plant.shelf({"dune": 1, "x": 1}, found={"emma": 1, "x": 1})
    await plant.switch(mode)
    assert await plant.run(ref) == 5.0
    status = await plant.status(ref)
    assert (status.state, status.reason, plant.acts()) == (State.HELD, reason, [])


async def test_a_switch_flipped_in_the_middle_stops_the_very_next_act(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abc", 1), found={})
    await plant.run(ref)
    plant.loop.while_acting = lambda: plant.switch(Mode.STOP)
    wait = await plant.run(ref)
    assert ([act.item for act in plant.loop.acts], wait) == (["a", "b"], OVERTAKEN_SECONDS)
    await plant.run(ref)
    status = await plant.status(ref)
    assert status.state is State.HELD
    assert status.reason == "stop by ann (storm): nothing is changed (1 to create)"


async def test_an_older_process_writes_nothing_after_a_takeover(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    await plant.taken_over()
    with pytest.raises(Conflict, match="epoch"):
        await plant.run(ref)
    assert (plant.acts(), plant.rows(Status)) == ([], [])


async def test_what_is_protected_stays_although_it_is_not_declared_any_more(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 1})
    kept = Action(verb=Verb.DELETE, item="emma", before=1, protected=True)
    plant.loop.say = {"actions": (kept,)}
    await plant.run(ref)
    status = await plant.status(ref)
    assert (plant.acts(), plant.loop.found) == ([], {"dune": 1, "emma": 1})
    assert status.state is State.HELD
    assert status.reason == "protected, so not deleted: emma (1 to delete)"


async def test_while_a_task_works_on_an_entity_its_loop_only_looks(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    task = Task(id="t1", pipeline="move", target=ref, key="k", organization="acme", asked_by="ann")
    await plant.put(task)
    plant.loop.say = {"starts": (Start(pipeline="move", target=ref, key="k"),)}
    await plant.run(ref)
    assert (plant.acts(), plant.rows(Task)) == ([], [task])


async def test_a_task_is_asked_for_once_and_its_worker_is_woken(plant: Plant) -> None:
    ref = await plant.shelf({})
    other = await plant.declare("shelf", "other")
    plant.loop.say = {"starts": (Start(pipeline="move", target=other.ref, key="k", input={"to": "attic"}),)}
    for _ in range(3):
        await plant.run(ref)
    [task] = plant.rows(Task)
    assert (task.state, task.saved, task.asked_by) == (TaskState.QUEUED, {"to": "attic"}, "shelf novels")
    assert plant.wakes()[f"task/{task.id}"] == "asked"  # type: ignore[index]


@pytest.mark.parametrize("state", [State.PENDING, State.DEGRADED, State.FAILED])
async def test_what_the_loop_says_of_its_state_is_told(plant: Plant, state: State) -> None:
    ref = await plant.shelf({})
    alive = Condition(type="Alive", status="False", reason="Silent")
    plant.loop.say = {"state": state, "reason": "so it is", "conditions": (alive,), "again_in": 7.0}
    assert await plant.run(ref) == 7.0
    status = await plant.status(ref)
    assert (status.state, status.reason, status.conditions) == (state, "so it is", (alive,))


async def test_the_guards_remember_what_was_there(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2})
    found = await plant.ledger(ref)
    assert (found.accepted, found.known, found.looks) == (2, ("dune", "emma"), 2)
    assert (found.looked_at, found.gap) == (START + 5, 5)


async def test_what_the_world_does_not_keep_is_done_again_without_hurry_and_not_for_ever(
    plant: Plant,
) -> None:
    ref = await plant.shelf({"dune": 1}, found={"dune": 2})
    waits = []
    for _ in range(5):
        waits.append(await plant.run(ref))
        plant.loop.found = {"dune": 2}
        plant.runtime.pass_by(120.0)
    assert waits == [0.0, 0.6, 1.1, None, None]
    assert (await plant.status(ref)).state is State.HELD


@pytest.mark.parametrize("error", [Denied("403"), Transient("500"), Rejected("bad"), KeyError("x")])
@pytest.mark.parametrize("bad", ["a", "abcde", "vwxyz", "abcdevwxyz", "acegikmoqs"])
@pytest.mark.parametrize("verb", ["create", "update"])
async def test_keys_that_go_on_failing_keep_no_drift_from_being_put_back(
    plant: Plant, error: Exception, bad: str, verb: str
) -> None:
    good = dict.fromkeys(set(ascii_lowercase) - set(bad), 1)
    found = good if verb == "create" else {**good, **dict.fromkeys(bad, "old")}
    ref = await plant.shelf(dict.fromkeys(ascii_lowercase, 1), found=found)
    plant.loop.answers = {item: [error] * 999 for item in bad}
    for _ in range(40):
        await plant.run(ref)
        plant.runtime.pass_by(5)
    changed, lost = sorted(good)[0], sorted(good)[-1]
    plant.loop.found[changed] = "drift"
    del plant.loop.found[lost]
    for _ in range(12):
        await plant.run(ref)
        plant.runtime.pass_by(5)
    assert {key: plant.loop.found.get(key) for key in good} == good
    assert (await plant.status(ref)).state is State.DEGRADED
