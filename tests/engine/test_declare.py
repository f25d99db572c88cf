"""Declaring: all of it or none, with its evidence, its event and its wakes in one commit."""

import pytest

from setpoint.engine.audit import broken_at
from setpoint.engine.draft import Author, Declaration, etag
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.errors import Conflict, Mistake, Rejected
from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, ActState, Lane, Wake
from setpoint.engine.store import Change, Put
from setpoint.storage.memory import MemoryStore

from .fake_runtime import START
from .plant import ACME, ANN, SHOP, Plant


def shelf(name: str = "novels", scope: Scope = SHOP, **spec: object) -> Declaration:
    return Declaration(kind="shelf", scope=scope, name=name, spec=spec, pointer=f"/items/{name}")


def note(name: str, *about: str) -> Declaration:
    spec = {"about": list(about)}
    return Declaration(kind="note", scope=SHOP, name=name, spec=spec, pointer=f"/items/{name}")


async def rejected(plant: Plant, *items: Declaration, found: tuple[Mistake, ...] = ()) -> dict[str, str]:
    """Where each mistake is, and what it says; nothing was stored."""
    before = plant.contents()
    with pytest.raises(Rejected) as refusal:
        await plant.declarer.declare(items, ANN, found)
    assert plant.contents() == before
    return {mistake.pointer: mistake.message for mistake in refusal.value.mistakes}


async def test_a_declaration_is_stored_with_who_when_and_which_generation(plant: Plant) -> None:
    row = await plant.declare("shelf", "novels", books={"dune": 1})
    spec = {"books": {"dune": 1}, "account": ""}  # defaults are written down
    assert (row.kind, row.name, row.scope, row.spec) == ("shelf", "novels", SHOP, spec)
    assert (row.generation, row.changed_by, row.created_at) == (1, "ann", START)
    assert await plant.store.get(Declared, row.ref) == row


async def test_a_declaration_leaves_evidence_an_event_and_a_wake_at_once(plant: Plant) -> None:
    row = await plant.declare("shelf", "novels")
    event, line = plant.events()[-1], plant.audit()[-1]
    assert (event.type, event.ref, event.message) == ("entity.config_changed", row.ref, "declared by ann")
    assert (line.actor, line.action, line.ref) == ("ann", "intent.declared", row.ref)
    [wake] = [wake for wake in plant.rows(Wake) if wake.ref == row.ref]
    assert wake.lane is Lane.INTERACTIVE
    assert broken_at(plant.audit()) is None


async def test_declaring_the_same_again_writes_nothing(plant: Plant) -> None:
    await plant.declare("shelf", "novels", books={"dune": 1})
    before = plant.contents()
    row = await plant.declare("shelf", "novels", books={"dune": 1})
    assert (plant.contents(), row.generation) == (before, 1)


async def test_declaring_the_same_list_again_writes_nothing(plant: Plant) -> None:
    await plant.declarer.declare((note("a"), note("b", "a")), ANN)
    before = plant.contents()
    await plant.declarer.declare((note("b", "a"),), ANN)
    assert plant.contents() == before


async def test_a_change_keeps_the_ref_and_moves_the_generation_on(plant: Plant) -> None:
    first = await plant.declare("shelf", "novels")
    second = await plant.declare("shelf", "novels", books={"dune": 1})
    assert (second.ref, second.generation, second.created_at) == (first.ref, 2, first.created_at)
    assert plant.audit()[-1].action == "intent.changed"


async def test_what_nobody_watches_over_is_stored_without_a_wake(plant: Plant) -> None:
    row = await plant.declare("note", "todo")
    assert row.ref not in plant.wakes()


async def test_every_mistake_is_told_at_once_with_its_place(plant: Plant) -> None:
    earlier = Mistake(pointer="/items/0/spec/books", code="bad_type", message="found before")
    told = await rejected(
        plant,
        shelf("a", scope=Scope("acme", "nowhere", "here")),
        shelf("b", account="none"),
        note("c", "c"),
        note("d", "missing", "also-missing"),
        found=(earlier,),
    )
    assert told == {
        "/items/0/spec/books": "found before",
        "/items/a/metadata/project": "project 'nowhere' is not declared",
        "/items/a/metadata/workspace": "workspace 'here' is not declared",
        "/items/b/spec/account": "account 'none' is not declared in acme/shop",
        "/items/c/spec": "cycle: note c → note c",
        "/items/d/spec/about": "note 'also-missing' is not declared in acme/shop",
    }


@pytest.mark.parametrize(("mistakes", "words"), [(1, "1 mistake; nothing"), (2, "2 mistakes; nothing")])
async def test_the_number_of_mistakes_is_said(plant: Plant, mistakes: int, words: str) -> None:
    found = (Mistake(pointer="", code="bad", message="bad"),) * mistakes
    with pytest.raises(Rejected, match=words):
        await plant.declarer.declare((), ANN, found)


async def test_one_mistake_keeps_all_the_rest_out(plant: Plant) -> None:
    await rejected(plant, shelf("good"), shelf("bad", account="none"))


async def test_a_declaration_that_is_not_sound_holds_its_place_and_is_resolved_too(plant: Plant) -> None:
    unsound = Declaration(
        kind="note", scope=SHOP, name="a", spec={"about": ["none"]}, pointer="/a", sound=False
    )
    found = (Mistake(pointer="/a/spec", code="bad", message="bad"),)
    told = await rejected(plant, unsound, note("b", "a"), found=found)
    assert told == {"/a/spec": "bad", "/a/spec/about": "note 'none' is not declared in acme/shop"}


@pytest.mark.parametrize("scope", [Scope(), ACME, SHOP, Scope("acme", "shop", "prod")], ids=str)
async def test_a_name_is_found_in_its_own_scope_and_every_one_around_it(plant: Plant, scope: Scope) -> None:
    await plant.declare("workspace", "prod")
    account = await plant.declare("account", "cloud", scope=scope)
    row = await plant.declare("shelf", "novels", scope=Scope("acme", "shop", "prod"), account="cloud")
    assert row.refs == (account.ref,)


async def test_the_nearest_of_several_names_is_meant(plant: Plant) -> None:
    await plant.declare("account", "cloud", scope=ACME)
    near = await plant.declare("account", "cloud", scope=SHOP)
    assert (await plant.declare("shelf", "novels", account="cloud")).refs == (near.ref,)


async def test_a_name_in_another_project_is_not_found(plant: Plant) -> None:
    await plant.declare("project", "other", scope=ACME)
    await plant.declare("account", "cloud", scope=Scope("acme", "other"))
    assert list(await rejected(plant, shelf("a", account="cloud"))) == ["/items/a/spec/account"]


async def test_a_name_may_be_declared_in_the_same_request_in_any_order(plant: Plant) -> None:
    account = Declaration(kind="account", scope=ACME, name="cloud", spec={})
    project = Declaration(kind="project", scope=ACME, name="new", spec={})
    rows = await plant.declarer.declare(
        (shelf(scope=Scope("acme", "new"), account="cloud"), account, project), ANN
    )
    assert rows[0].refs == (rows[1].ref,)


async def test_what_is_being_deleted_cannot_be_named_any_more(plant: Plant) -> None:
    row = await plant.declare("shelf", "old")
    await plant.declarer.delete(row.ref, ANN)
    book = Declaration(kind="book", scope=SHOP, name="dune", spec={"shelf": "old"}, pointer="/0")
    assert await rejected(plant, book) == {"/0/spec/shelf": "shelf 'old' is being deleted in acme/shop"}


async def test_a_cycle_is_named_with_its_path(plant: Plant) -> None:
    told = await rejected(plant, note("a", "b"), note("b", "c"), note("c", "a"), note("d", "a"))
    assert told == {
        "/items/a/spec": "cycle: note a → note b → note c → note a",
        "/items/b/spec": "cycle: note b → note c → note a → note b",
        "/items/c/spec": "cycle: note c → note a → note b → note c",
    }


async def test_a_cycle_through_what_is_already_declared_is_found(plant: Plant) -> None:
    await plant.declarer.declare((note("a"), note("b", "a"), note("c", "b")), ANN)
    [way] = (await rejected(plant, note("a", "c"))).values()
    assert way.startswith("cycle: note a → note/")
    assert way.endswith(" → note a")


async def test_names_that_meet_again_are_no_cycle(plant: Plant) -> None:
    rows = await plant.declarer.declare((note("a", "b", "c"), note("b", "d"), note("c", "d"), note("d")), ANN)
    assert len(rows) == 4


async def test_two_new_things_of_one_name_in_one_request_are_refused_whole(plant: Plant) -> None:
    before = plant.contents()
    with pytest.raises(Conflict, match="taken"):
        await plant.declarer.declare((shelf("same"), shelf("same")), ANN)
    assert plant.contents() == before


async def test_a_part_moves_its_parent_on_and_wakes_it(plant: Plant) -> None:
    parent = await plant.declare("shelf", "novels")
    await plant.drop(*plant.rows(Wake))
    book = await plant.declare("book", "dune", shelf="novels")
    moved = await plant.store.get(Declared, parent.ref)
    assert moved is not None
    assert (book.parent, moved.generation, plant.wakes()[parent.ref]) == (parent.ref, 2, "a part changed")


async def test_a_parent_declared_with_its_parts_is_moved_on_once(plant: Plant) -> None:
    book = Declaration(kind="book", scope=SHOP, name="dune", spec={"shelf": "novels"})
    rows = await plant.declarer.declare((shelf(), book), ANN)
    assert [row.generation for row in rows] == [1, 1]


async def test_what_children_do_does_not_change_the_tag_of_their_parent(plant: Plant) -> None:
    before = await plant.declare("shelf", "novels")
    await plant.declare("book", "dune", shelf="novels")
    after = (await plant.entity(before.ref)).declared
    assert (etag(after), after.generation) == (etag(before), 2)


async def test_an_edit_of_what_was_changed_since_it_was_read_is_refused(plant: Plant) -> None:
    first = await plant.declare("shelf", "novels")
    await plant.declare("shelf", "novels", books={"dune": 1})
    stale = Author(actor="bob", if_match=etag(first))
    with pytest.raises(Conflict, match="shelf novels was changed since it was read"):
        await plant.declare("shelf", "novels", author=stale, books={})


async def test_a_delete_of_what_was_changed_since_it_was_read_is_refused(plant: Plant) -> None:
    first = await plant.declare("shelf", "novels")
    second = await plant.declare("shelf", "novels", books={"dune": 1})
    with pytest.raises(Conflict, match="shelf novels was changed since it was read"):
        await plant.declarer.delete(first.ref, Author(actor="bob", if_match=etag(first)))
    await plant.declarer.delete(first.ref, Author(actor="bob", if_match=etag(second)))
    assert (await plant.entity(first.ref)).deleting == "asked"


async def test_an_edit_of_what_was_read_last_goes_through(plant: Plant) -> None:
    first = await plant.declare("shelf", "novels")
    row = await plant.declare(
        "shelf", "novels", author=Author(actor="bob", if_match=etag(first)), books={"a": 1}
    )
    assert row.changed_by == "bob"


class BusyStore(MemoryStore):
    """Somebody else is faster, this many times."""

    faster = 0

    async def commit(self, change: Change) -> None:
        if self.faster:
            self.faster -= 1
            raise Conflict("somebody else was first")
        await super().commit(change)


@pytest.mark.parametrize("faster", [1, 7])
async def test_a_race_with_other_edits_is_run_again(faster: int) -> None:
    store = BusyStore()
    plant = await Plant(store).start()
    store.faster = faster
    row = await plant.declare("shelf", "novels")
    store.faster = faster
    await plant.declarer.delete(row.ref, ANN)
    assert (await plant.entity(row.ref)).deleting == "asked"


async def test_a_race_that_is_lost_too_often_is_told() -> None:
    store = BusyStore()
    plant = await Plant(store).start()
    row = await plant.declare("shelf", "novels")
    store.faster = 8
    with pytest.raises(Conflict, match="somebody else was first"):
        await plant.declare("shelf", "novels", books={"a": 1})
    store.faster = 8
    with pytest.raises(Conflict, match="somebody else was first"):
        await plant.declarer.delete(row.ref, ANN)


async def test_an_edit_with_a_tag_is_not_run_again() -> None:
    store = BusyStore()
    plant = await Plant(store).start()
    row = await plant.declare("shelf", "novels")
    store.faster = 1
    with pytest.raises(Conflict, match="somebody else was first"):
        await plant.declare("shelf", "novels", author=Author(actor="a", if_match=etag(row)), books={"a": 1})


async def test_a_loop_declares_parts_of_its_own_entity(plant: Plant) -> None:
    author = Author(actor="room hall", owner="room/1", parent=Ref("room/1"))
    row = await plant.declare("shelf", "novels", author=author)
    assert (row.parent, row.owner) == ("room/1", "room/1")


async def test_a_proposal_shows_what_would_change_and_stores_nothing(plant: Plant) -> None:
    await plant.declare("shelf", "same")
    before = plant.contents()
    rows = await plant.declarer.proposed((shelf("same"), shelf("new", books={"a": 1})), ANN)
    assert ([row.name for row in rows], plant.contents()) == (["new"], before)


async def test_what_is_adopted_keeps_the_ref_that_its_mark_names(plant: Plant) -> None:
    lost = Declaration(kind="shelf", scope=SHOP, name="novels", spec={}, ref=Ref("shelf/lost"))
    act = Act(id="a1", domain=lost.ref, organization="acme", verb=Verb.CREATE, item="x", state=ActState.DONE)
    [row] = await plant.declarer.declare((lost,), ANN, beside=Change(writes=(Put(act),)))
    assert (row.ref, row.generation) == (Ref("shelf/lost"), 1)
    assert plant.acts() == [act]


@pytest.mark.parametrize("ref", ["shelf/lost", "shelf/another"])
async def test_what_is_declared_already_is_not_adopted(plant: Plant, ref: str) -> None:
    first = Declaration(kind="shelf", scope=SHOP, name="novels", spec={}, ref=Ref("shelf/lost"))
    await plant.declarer.declare((first,), ANN)
    again = Declaration(kind="shelf", scope=SHOP, name="novels", spec={}, ref=Ref(ref), pointer="/names/0")
    wake = Wake(id="w", ref=Ref("shelf/lost"), reason="beside")
    with pytest.raises(Rejected) as refused:
        await plant.declarer.declare((again,), ANN, beside=Change(writes=(Put(wake),)))
    assert [(each.pointer, each.code) for each in refused.value.mistakes] == [("/names/0", "taken")]
    assert "beside" not in plant.wakes().values()
