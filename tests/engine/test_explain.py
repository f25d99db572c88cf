"""Why something is as it is: never an empty sentence, and a way on wherever something is held."""

from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.engine import approval as approvals
from setpoint.engine.entity import Ref, State, Status
from setpoint.engine.errors import Transient
from setpoint.engine.explain import explained, facts_of, why
from setpoint.engine.guards import GUARDS
from setpoint.engine.ledger import Failing
from setpoint.engine.plan import UNKNOWN
from setpoint.engine.release import protect
from setpoint.engine.rows import HoldRow, Mode, Task

from .people import decision, shrunk
from .plant import ACME, ANN, Plant


async def told(plant: Plant, ref: Ref) -> dict[str, Any]:
    return await why(plant.store, plant.kinds, await plant.entity(ref), plant.runtime.now())


@pytest.mark.parametrize("state", State)
async def test_every_state_is_a_sentence(plant: Plant, state: State) -> None:
    ref = await plant.shelf({})
    await plant.put(Status(ref=ref, state=state, reason="so it is", since=plant.runtime.now(), generation=1))
    plant.runtime.pass_by(7)
    assert (await told(plant, ref))["sentence"] == f"novels is {state} since 7 s: so it is"


@pytest.mark.parametrize("kind", ["shelf", "note", "account", "organization"])
async def test_what_was_never_looked_at_has_a_sentence_too(plant: Plant, kind: str) -> None:
    row = await plant.declare(kind, "fresh")
    sentence = (await told(plant, row.ref))["sentence"]
    ready = kind in ("note", "account")
    assert sentence.startswith(f"fresh is {'READY' if ready else 'PENDING'} since 0 s: ")
    assert "generation" not in sentence


async def test_a_status_about_an_older_generation_says_so(plant: Plant) -> None:
    ref = await plant.shelf({})
    await plant.declare("shelf", "novels", books={"dune": 1})
    assert (await told(plant, ref))["sentence"].endswith("(about generation 1, wanted is 2)")


async def test_a_held_object_says_which_guard_and_how_to_go_on(plant: Plant) -> None:
    ref = await plant.shelf({}, found={"dune": 1, "emma": 1})
    await plant.run(ref)
    answer, [plan] = await told(plant, ref), plant.plans()
    assert answer["next"] == [
        f"setpoint describe plan {plan.id}",
        f"setpoint reject {plan.id}",
        f"setpoint approve {plan.id} --reason WHY",
    ]
    assert "guard empty_intent: nothing is declared while 2 exist; that would delete all 2" in answer["chain"]
    assert answer["evidence"]["plan"]["id"] == plan.id


async def test_a_rejected_plan_is_not_offered_for_approval_again(plant: Plant) -> None:
    ref = await plant.shelf({}, found={"dune": 1})
    await plant.run(ref)
    [plan] = plant.plans()
    await plant.store.commit(approvals.reject(plan, identity="n", actor="bob", reason="no", now=0.0))
    await plant.run(ref)
    answer = await told(plant, ref)
    assert answer["next"] == [f"setpoint describe plan {plan.id}"]
    assert "rejected by bob: nothing is done until what is declared changes" in answer["chain"]


@pytest.mark.parametrize("mode", [Mode.STOP, Mode.OBSERVE, Mode.NO_DELETES])
async def test_what_a_switch_holds_says_by_whom_and_how_to_go_on(plant: Plant, mode: Mode) -> None:
    ref = await plant.shelf({"dune": 1}, found={"dune": 1, "emma": 1})
    await plant.switch(mode)
    await plant.run(ref)
    answer = await told(plant, ref)
    assert f"{mode} by ann (storm)" in answer["chain"]
    assert answer["next"] == ["setpoint resume --all"]


async def test_a_paused_account_is_named_as_the_command_line_does(plant: Plant) -> None:
    account = await plant.declare("account", "cloud", scope=ACME)
    shelf = await plant.declare("shelf", "novels", account="cloud")
    await plant.switch(Mode.STOP, f"domain:{account.ref}")
    assert (await told(plant, shelf.ref))["next"] == ["setpoint resume account cloud"]


async def test_nothing_in_the_way_means_nothing_to_do(plant: Plant) -> None:
    answer = await told(plant, await plant.shelf({"dune": 1}))
    assert (answer["next"], answer["evidence"]["plan"]) == ([], None)
    assert answer["chain"] == ["declared: generation 1, by ann"]


@pytest.mark.parametrize(
    ("failures", "alike", "said"),
    [
        (1, 1, "failed once; tried again by itself"),
        (1, 0, "failed once; tried again by itself"),
        (2, 2, "failed 2 times, 2 of them alike; tried again by itself"),
        (3, 1, "failed 3 times, 1 of them alike; tried again by itself"),
    ],
)
async def test_how_often_it_failed_is_in_english(plant: Plant, failures: int, alike: int, said: str) -> None:
    ref = await plant.shelf({"dune": 1})
    status = (await plant.entity(ref)).status
    item = Failing(said="no", intent="", count=failures, tries=failures, since=1.0, at=1.0)
    await plant.put(replace(status, failures=failures, alike=alike))
    await plant.put(replace(await plant.ledger(ref), failing={"dune": item}))
    assert said in (await told(plant, ref))["chain"]
    entity, now = await plant.entity(ref), plant.runtime.now()
    chain = (await why(plant.store, plant.kinds, entity, now, "dune"))["chain"]
    assert ("failed once: no" if failures == 1 else f"failed {failures} times alike: no") in chain


async def test_what_is_to_go_does_not_wait_for_what_another_item_waits_for(plant: Plant) -> None:
    ref = await shrunk(plant, by=6)
    await plant.run(ref)
    facts = await facts_of(plant.store, plant.kinds, await plant.entity(ref), "")
    assert facts.last is not None
    first, other = facts.last.case.plan.actions[:2]
    waits = HoldRow(guard="unsettled", message="it waits", withholds="items", items=(other.item,))
    last = replace(facts.last, verdict=replace(facts.last.verdict, holds=(waits,)))
    facts = replace(facts, last=last, plan=None)
    said = [explained(facts, plant.runtime.now(), action.item)["sentence"] for action in (first, other)]
    assert said == [
        f"{first.item} is to be deleted; it is its turn soon",
        f"{other.item} is to be deleted, but it waits",
    ]


async def test_the_chain_names_deletion_task_and_open_act(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers, plant.loop.looks = {"dune": [Transient("gone", landed=True)]}, {"dune": UNKNOWN}
    await plant.run(ref)
    await plant.put(Task(id="t", pipeline="move", target=ref, key="k", organization="acme", asked_by="ann"))
    await plant.declarer.delete(ref, ANN)
    plant.runtime.pass_by(3)
    assert (await told(plant, ref))["chain"][1:] == [
        "deletion asked",
        "last decision 3 s ago: 0 there, 1 wanted, 1 change",
        "task move: waiting for the worker",
        "open act: create dune since 3 s",
    ]


async def test_a_part_names_the_whole_it_is_judged_with(plant: Plant) -> None:
    await plant.declare("shelf", "novels")
    book = await plant.declare("book", "dune", shelf="novels")
    assert "judged together with shelf novels" in (await told(plant, book.ref))["chain"]


async def test_a_part_whose_whole_is_gone_is_explained_by_itself(plant: Plant) -> None:
    parent = await plant.declare("shelf", "novels")
    book = await plant.declare("book", "dune", shelf="novels")
    await plant.drop(parent)
    assert len((await told(plant, book.ref))["chain"]) == 1


async def test_the_evidence_has_every_guard_with_its_release(plant: Plant) -> None:
    answer = await told(plant, await plant.shelf({"dune": 1}))
    assert [guard["name"] for guard in answer["evidence"]["guards"]] == [guard.name for guard in GUARDS]
    assert all(guard["release"] for guard in answer["evidence"]["guards"])
    assert answer["evidence"]["events"] != []


async def test_an_unsigned_declaration_is_said_to_be_of_nobody_known(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1})
    await plant.put(replace((await plant.entity(ref)).declared, changed_by=""))
    assert (await told(plant, ref))["chain"] == ["declared: generation 1, by unknown"]


async def test_what_is_protected_says_how_it_is_let_go(plant: Plant) -> None:
    ref = await shrunk(plant)
    await plant.store.commit(protect(await decision(plant, ref, "00")))
    await plant.run(ref)
    command = "setpoint release shelf novels 00 --protection"
    assert (await told(plant, ref))["next"] == [command]
    about = await why(plant.store, plant.kinds, await plant.entity(ref), plant.runtime.now(), "00")
    assert (about["sentence"], about["next"]) == ("00 is protected by bob: because", [command])


async def test_what_is_contested_says_how_it_is_let_go(plant: Plant) -> None:
    ref = await plant.shelf({"dune": {"text": "ours"}})
    for _ in range(4):
        plant.loop.found["dune"] = {"text": "theirs"}
        await plant.calm(ref)
        plant.runtime.pass_by(60.0)
    answer = await told(plant, ref)
    assert (answer["situation"], answer["next"]) == ("contested", ["setpoint release shelf novels dune"])


async def test_a_healthy_object_tells_its_last_acts_and_what_was_before(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    await plant.calm(ref)
    plant.runtime.pass_by(17)
    chain = (await told(plant, ref))["chain"]
    assert "last act: create dune, done 17 s ago" in chain
    assert any(link.startswith("before, 17 s ago: ") for link in chain)


async def test_a_reason_that_ends_in_a_command_offers_it(plant: Plant) -> None:
    ref = await plant.shelf({})
    reason = "hetzner answered 401; give it another credential: setpoint secret set hetzner"
    await plant.put(Status(ref=ref, state=State.PENDING, reason=reason, generation=1))
    assert (await told(plant, ref))["next"] == ["setpoint secret set hetzner"]


async def test_when_it_was_observed_is_the_second_word_of_the_chain(plant: Plant) -> None:
    ref = await plant.shelf({})
    facts = await facts_of(plant.store, plant.kinds, await plant.entity(ref), "")
    chain = explained(facts, plant.runtime.now(), observed="observed 3 s ago")["chain"]
    assert chain[1] == "observed 3 s ago"
