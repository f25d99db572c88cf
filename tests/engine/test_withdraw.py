"""Taking back: deleting by name, leaving out of a file, and declaring again before it is gone."""

import pytest
from msgspec.structs import replace

from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import Declared, Ref, Scope, Status
from setpoint.engine.errors import Conflict, Missing, Rejected

from .plant import ACME, ANN, SHOP, Plant

FILE = Author(actor="ann", organization="acme", owner="shop.yaml", prune=True)


def shelf(name: str, **spec: object) -> Declaration:
    return Declaration(kind="shelf", scope=SHOP, name=name, spec=spec)


async def row(plant: Plant, ref: Ref) -> Declared:
    return (await plant.entity(ref)).declared


async def test_deleting_marks_what_was_asked_for_and_wakes_its_loop(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    await plant.declarer.delete(declared.ref, ANN)
    found = await row(plant, declared.ref)
    assert (found.deleting, found.generation, found.changed_by) == ("asked", 2, "ann")
    assert plant.audit()[-1].action == "intent.deleted"
    assert declared.ref in plant.wakes()


async def test_deleting_twice_is_deleting_once(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    await plant.declarer.delete(declared.ref, ANN)
    before = plant.contents()
    await plant.declarer.delete(declared.ref, ANN)
    assert plant.contents() == before


async def test_deleting_what_is_not_declared_is_said(plant: Plant) -> None:
    with pytest.raises(Missing, match="shelf/none is not declared"):
        await plant.declarer.delete(Ref("shelf/none"), ANN)


async def test_what_nobody_watches_over_leaves_at_once(plant: Plant) -> None:
    note = await plant.declare("note", "todo")
    await plant.put(Status(ref=note.ref))
    await plant.declarer.delete(note.ref, ANN)
    assert await plant.store.get(Declared, note.ref) is None
    assert await plant.store.get(Status, note.ref) is None
    assert plant.events()[-1].type == "entity.deleted"


async def test_a_part_waits_for_its_whole_to_let_it_go(plant: Plant) -> None:
    parent = await plant.declare("shelf", "novels")
    book = await plant.declare("book", "dune", shelf="novels")
    await plant.declarer.delete(book.ref, ANN)
    assert (await row(plant, book.ref)).deleting == "asked"
    assert (await row(plant, parent.ref)).generation == 3


async def test_declaring_again_takes_the_deletion_back(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    await plant.declarer.delete(declared.ref, ANN)
    again = await plant.declare("shelf", "novels")
    assert (again.ref, again.deleting, again.generation) == (declared.ref, "", 3)


async def test_what_is_protected_is_not_deleted(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    await plant.put(replace(declared, protected=True))
    with pytest.raises(
        Conflict, match="shelf novels is protected; first run setpoint release shelf novels --protection"
    ):
        await plant.declarer.delete(declared.ref, ANN)


async def test_what_others_name_is_not_deleted_before_them(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    for name in ("ann", "bob", "cid", "dan"):
        await plant.declare("reader", name, shelf="novels")
    with pytest.raises(
        Conflict, match="shelf novels is used by reader ann, reader bob, reader cid and 1 more; change or"
    ):
        await plant.declarer.delete(declared.ref, ANN)


async def test_what_is_only_named_by_things_that_go_anyway_is_deleted(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    reader = await plant.declare("reader", "ann", shelf="novels")
    await plant.declarer.delete(reader.ref, ANN)
    await plant.declarer.delete(declared.ref, ANN)
    assert (await row(plant, declared.ref)).deleting == "asked"


async def test_a_whole_goes_with_its_parts(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    book = await plant.declare("book", "dune", shelf="novels")
    await plant.declarer.delete(declared.ref, ANN)
    assert (await row(plant, book.ref)).deleting == "asked"


async def test_a_whole_with_a_protected_part_stays(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    book = await plant.declare("book", "dune", shelf="novels")
    await plant.put(replace(book, protected=True))
    with pytest.raises(Conflict, match="shelf novels holds protected book dune"):
        await plant.declarer.delete(declared.ref, ANN)


async def refs_of(plant: Plant, *kinds: str) -> dict[str, Ref]:
    return {found.kind: found.ref for found in plant.rows(Declared) if found.kind in kinds}


@pytest.mark.parametrize("container", ["organization", "project", "workspace"])
async def test_what_holds_something_goes_only_with_all_of_it(plant: Plant, container: str) -> None:
    await plant.declare("workspace", "prod")
    await plant.declare("shelf", "novels", scope=Scope("acme", "shop", "prod"))
    refs = await refs_of(plant, container, "shelf")
    with pytest.raises(Conflict, match="delete those first, or cascade"):
        await plant.declarer.delete(refs[container], ANN)
    await plant.declarer.delete(refs[container], ANN, cascade=True)
    assert [(await row(plant, ref)).deleting for ref in refs.values()] == ["asked", "asked"]


async def test_a_cascade_takes_nothing_outside(plant: Plant) -> None:
    inside = await plant.declare("shelf", "novels")
    shop = (await refs_of(plant, "project"))["project"]
    await plant.declare("project", "other", scope=ACME)
    outside = await plant.declare("shelf", "other", scope=Scope("acme", "other"))
    await plant.declarer.delete(shop, ANN, cascade=True)
    assert [(await row(plant, found.ref)).deleting for found in (inside, outside)] == ["asked", ""]


async def test_a_cascade_stops_at_what_is_protected_inside(plant: Plant) -> None:
    inside = await plant.declare("shelf", "novels")
    await plant.put(replace(inside, protected=True))
    project = (await refs_of(plant, "project"))["project"]
    with pytest.raises(Conflict, match="project shop holds protected shelf novels"):
        await plant.declarer.delete(project, ANN, cascade=True)
    assert (await row(plant, inside.ref)).deleting == ""


async def test_what_a_file_no_longer_mentions_is_withdrawn_not_deleted(plant: Plant) -> None:
    first, second = await plant.declarer.declare((shelf("a"), shelf("b")), FILE)
    await plant.declarer.declare((shelf("a"),), FILE)
    assert [(await row(plant, ref)).deleting for ref in (first.ref, second.ref)] == ["", "withdrawn"]
    assert plant.audit()[-1].action == "intent.withdrawn"


async def test_pruning_touches_nothing_of_another_file(plant: Plant) -> None:
    other = await plant.declare("shelf", "other", author=replace_owner("other.yaml"))
    mine = await plant.declare("shelf", "mine")
    await plant.declarer.declare((shelf("a"),), FILE)
    assert [(await row(plant, ref)).deleting for ref in (other.ref, mine.ref)] == ["", ""]


def replace_owner(owner: str) -> Author:
    return Author(actor="bob", organization="acme", owner=owner)


async def test_without_pruning_nothing_is_withdrawn(plant: Plant) -> None:
    [first] = await plant.declarer.declare((shelf("a"),), FILE)
    await plant.declarer.declare((shelf("b"),), replace_owner("shop.yaml"))
    assert (await row(plant, first.ref)).deleting == ""


async def test_what_a_person_deleted_is_not_withdrawn_on_top(plant: Plant) -> None:
    first, _ = await plant.declarer.declare((shelf("a"), shelf("b")), FILE)
    await plant.declarer.delete(first.ref, ANN)
    await plant.declarer.declare((shelf("b"),), FILE)
    assert (await row(plant, first.ref)).deleting == "asked"


async def test_what_is_mentioned_again_is_not_withdrawn_any_more(plant: Plant) -> None:
    first, _ = await plant.declarer.declare((shelf("a"), shelf("b")), FILE)
    await plant.declarer.declare((shelf("b"),), FILE)
    await plant.declarer.declare((shelf("a"), shelf("b")), FILE)
    assert (await row(plant, first.ref)).deleting == ""


async def test_what_is_left_out_but_still_used_is_a_mistake(plant: Plant) -> None:
    await plant.declarer.declare((shelf("a"), shelf("b")), FILE)
    await plant.declare("reader", "ann", shelf="a")
    with pytest.raises(Rejected) as refusal:
        await plant.declarer.declare((shelf("b"),), FILE)
    assert [(mistake.code, "reader ann" in mistake.message) for mistake in refusal.value.mistakes] == [
        ("still_used", True)
    ]


async def test_a_whole_and_its_parts_left_out_together_are_withdrawn(plant: Plant) -> None:
    book = Declaration(kind="book", scope=SHOP, name="dune", spec={"shelf": "a"})
    rows = await plant.declarer.declare((shelf("a"), book, shelf("b")), FILE)
    await plant.declarer.declare((shelf("b"),), FILE)
    assert [(await row(plant, found.ref)).deleting for found in rows] == ["withdrawn", "withdrawn", ""]


async def test_a_proposal_shows_what_would_be_withdrawn(plant: Plant) -> None:
    await plant.declarer.declare((shelf("a"), shelf("b")), FILE)
    [leaving] = await plant.declarer.proposed((shelf("b"),), FILE)
    assert (leaving.name, leaving.deleting) == ("a", "withdrawn")
