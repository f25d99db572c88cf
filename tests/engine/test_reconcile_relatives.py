"""What a pass means for others: its parts, its parent, its children, whoever names it; and how it leaves."""

from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.engine.entity import AnyEntity, Declared, Ref, State, Status
from setpoint.engine.errors import Conflict, Denied, Rejected, Transient
from setpoint.engine.ledger import Ledger
from setpoint.engine.plan import UNKNOWN, Happening, Member
from setpoint.engine.rows import Wake

from .fake_runtime import START
from .plant import ANN, SHOP, Plant


async def with_books(plant: Plant, *names: str) -> tuple[Ref, dict[str, Ref]]:
    """A shelf with declared books, each its own item; those found there are READY."""
    shelf = (await plant.declare("shelf", "novels")).ref
    books = {name: (await plant.declare("book", name, shelf="novels")).ref for name in names}

    def members(entity: AnyEntity, seen: dict[str, Any]) -> tuple[Member, ...]:
        return tuple(
            Member(
                ref=ref,
                item=name,
                state=State.READY if name in seen else State.PENDING,
                reason="on its shelf" if name in seen else "not there yet",
                generation=1,
                gone=name in plant.loop.say_gone,
            )
            for name, ref in books.items()
        )

    plant.loop.members = members
    plant.loop.say = {"actions": ()}
    return shelf, books


async def test_a_part_gets_its_status_from_the_whole(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune", "emma")
    plant.loop.found = {"dune": 1}
    await plant.run(shelf)
    assert (await plant.status(books["dune"])).state is State.READY
    emma = await plant.status(books["emma"])
    assert (emma.state, emma.reason, emma.generation, emma.since) == (
        State.PENDING,
        "not there yet",
        1,
        START,
    )
    types = [(event.type, event.ref) for event in plant.events()]
    assert ("entity.state_changed", books["dune"]) in types


async def test_a_part_keeps_its_since_while_its_state_stays(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune")
    plant.loop.found = {"dune": 1}
    await plant.proven(shelf)
    plant.runtime.pass_by(10)
    before = plant.contents()
    await plant.run(shelf)
    assert plant.contents() == before
    plant.loop.found = {}
    await plant.run(shelf)
    assert (await plant.status(books["dune"])).since == START + 15


async def test_a_part_that_is_touched_by_a_held_plan_or_waits_for_it_is_held_with_it(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune", "emma")
    plant.loop.found, plant.loop.say = {"dune": 1}, {"desired": 0}
    await plant.run(shelf)
    dune, emma = await plant.status(books["dune"]), await plant.status(books["emma"])
    assert (dune.state, emma.state) == (State.HELD, State.HELD)
    assert dune.reason.startswith("shelf novels: nothing is declared while 1 exist")
    assert emma.reason == dune.reason


async def test_only_the_part_whose_act_failed_has_failed(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune", "emma")
    plant.loop.say = {}
    await plant.declare("shelf", "novels", books={"dune": 1, "emma": 1})
    plant.loop.answers = {"dune": [Rejected("too long")]}
    await plant.run(shelf)
    dune, emma = await plant.status(books["dune"]), await plant.status(books["emma"])
    assert (dune.state, dune.reason) == (State.FAILED, "create: too long")
    assert emma.state is State.PENDING
    await plant.run(shelf)
    dune, emma = await plant.status(books["dune"]), await plant.status(books["emma"])
    assert (dune.state, dune.reason) == (State.FAILED, "failed once: too long")
    assert "too long" not in emma.reason


async def test_every_part_whose_act_was_refused_has_failed(plant: Plant) -> None:
    names = ("dune", "emma", "ivanhoe", "lolita", "mort", "ulysses")
    shelf, books = await with_books(plant, *names)
    plant.loop.say = {}
    await plant.declare("shelf", "novels", books=dict.fromkeys(names, 1))
    plant.loop.answers = {name: [Denied("401")] for name in names}
    await plant.reconciler.reconcile(shelf)
    last = await plant.status(books["ulysses"])
    assert (last.state, last.reason) == (State.FAILED, "create: 401")


async def test_a_part_that_waits_says_what_its_guard_says(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune", "emma")
    plant.loop.say = {}
    await plant.declare("shelf", "novels", books={"dune": 1})
    plant.loop.answers = {"dune": [Conflict("exists")]}
    plant.loop.looks = {"dune": UNKNOWN}
    await plant.run(shelf)
    await plant.run(shelf)
    assert (await plant.status(books["dune"])).reason.startswith("an act on dune has no visible effect yet")


async def test_a_part_that_is_gone_leaves_the_store(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune", "emma")
    await plant.run(shelf)
    plant.loop.say_gone = {"dune"}
    await plant.run(shelf)
    assert await plant.store.get(Declared, books["dune"]) is None
    assert await plant.store.get(Status, books["dune"]) is None
    assert ("entity.deleted", books["dune"]) in [(event.type, event.ref) for event in plant.events()]
    assert await plant.store.get(Declared, books["emma"]) is not None


async def test_a_part_stays_while_an_act_on_it_has_no_answer(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune")
    plant.loop.say = {}
    await plant.declare("shelf", "novels", books={"dune": 1})
    plant.loop.answers = {"dune": [Transient("no answer", landed=True)]}
    await plant.run(shelf)
    plant.loop.say_gone = {"dune"}
    plant.loop.looks = {"dune": UNKNOWN}
    await plant.run(shelf)
    assert await plant.store.get(Declared, books["dune"]) is not None


async def test_a_part_declared_again_while_it_leaves_is_not_forgotten(plant: Plant) -> None:
    shelf, books = await with_books(plant, "dune")
    plant.loop.say_gone = {"dune"}

    async def declared_again() -> None:
        await plant.declare("book", "dune", shelf="novels", text="kept")

    plant.loop.while_observing = declared_again
    with pytest.raises(Conflict, match="generation"):
        await plant.run(shelf)
    kept = await plant.store.get(Declared, books["dune"])
    assert kept is not None
    assert kept.spec["text"] == "kept"


async def deleted(plant: Plant) -> Ref:
    ref = await plant.shelf({"dune": 1})
    await plant.declarer.delete(ref, ANN)
    return ref


async def test_what_a_person_deletes_goes_and_then_leaves_the_store(plant: Plant) -> None:
    ref = await deleted(plant)
    await plant.calm(ref)
    assert (plant.loop.found, await plant.store.get(Declared, ref)) == ({}, None)
    assert (await plant.store.get(Status, ref), await plant.store.get(Ledger, ref)) == (None, None)
    assert plant.events()[-1].message == "gone, and confirmed gone"


async def test_what_is_declared_again_during_its_last_pass_is_not_forgotten(plant: Plant) -> None:
    ref = await deleted(plant)
    await plant.run(ref)

    async def declared_again() -> None:
        await plant.declare("shelf", "novels", books={"emma": 1})

    plant.loop.while_observing = declared_again
    with pytest.raises(Conflict, match="generation"):
        await plant.run(ref)
    assert (await plant.entity(ref)).spec.books == {"emma": 1}
    assert ref in plant.wakes()


async def test_nothing_is_forgotten_while_an_act_on_it_may_still_land(plant: Plant) -> None:
    ref = await deleted(plant)
    plant.loop.answers = {"dune": [Transient("no answer", landed=True)]}
    await plant.run(ref)
    plant.loop.looks = {"dune": 1}
    assert await plant.run(ref) == 1.0
    status = await plant.status(ref)
    assert (status.state, status.reason) == (State.PENDING, "going, but an act on it has no answer yet")
    plant.loop.looks = {}
    await plant.calm(ref)
    assert await plant.store.get(Declared, ref) is None


async def test_nothing_is_forgotten_while_something_still_names_it(plant: Plant) -> None:
    ref = await deleted(plant)
    reader = Declared(
        ref=Ref("reader/1"), kind="reader", scope=SHOP, name="ann", spec={"shelf": "novels"}, refs=(ref,)
    )
    await plant.put(reader)
    await plant.run(ref)
    assert await plant.run(ref) == 1.0
    assert (await plant.status(ref)).reason == "going, but used by reader ann"
    await plant.drop(reader)
    await plant.calm(ref)
    assert await plant.store.get(Declared, ref) is None


async def test_a_happening_is_an_event_and_wakes_whoever_listens(plant: Plant) -> None:
    room = (await plant.declare("room", "hall")).ref
    shelf = (await plant.declare("shelf", "novels")).ref
    await plant.put(replace((await plant.entity(shelf)).declared, parent=room))
    reader = (await plant.declare("reader", "ann", shelf="novels")).ref
    lamp = (await plant.declare("lamp", "bright")).ref
    await plant.put(replace((await plant.entity(lamp)).declared, parent=shelf))
    await plant.calm(shelf)
    await plant.drop(*plant.rows(Wake))
    plant.loop.say = {"happenings": (Happening(type="shelf.burns", message="all of it"),)}
    await plant.run(shelf)
    assert ("shelf.burns", "all of it") in [(event.type, event.message) for event in plant.events()]
    assert plant.wakes() == dict.fromkeys((room, reader, lamp), "shelf.burns of shelf novels")


async def test_an_act_that_is_done_wakes_whoever_names_the_domain(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    reader = (await plant.declare("reader", "ann", shelf="novels")).ref
    await plant.run(ref)
    assert "act.done" in plant.wakes()[reader]
