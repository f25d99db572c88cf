"""The protection of an object: set and taken off by a word of its own, never by leaving it out."""

import pytest
from msgspec.structs import replace

from setpoint.engine.declare import Declarer
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.errors import Conflict, Rejected
from setpoint.engine.kind import Kind
from setpoint.kinds import by_name

from .plant import ANN, Plant

KINDS = by_name()
PLACES = {
    "installation": Scope(),
    "organization": Scope("acme"),
    "project": Scope("acme", "shop"),
    "workspace": Scope("acme", "shop", "live"),
}
MEMBER = Author(actor="mia", organization="acme", may=lambda verb, row: verb != "execute")
FILE = replace(MEMBER, owner="shop.yaml", prune=True)


def item(kind: Kind, protected: bool | None = None, **more: object) -> Declaration:
    """One of this kind, as its own example says."""
    scope = PLACES[kind.level]
    return Declaration(
        kind=kind.name, scope=scope, name="one", spec=dict(kind.example), protected=protected, **more
    )


async def protected(plant: Plant, kind: Kind, declarer: Declarer) -> Declared:
    """One that is protected; what it names is not looked for."""
    (row,) = await declarer.declare([item(kind, True)], ANN)
    return row


def alone(plant: Plant) -> Declarer:
    """All kinds there are, each without what it would have to name."""
    kinds = {name: replace(kind, references={}, parent="", beside=None) for name, kind in KINDS.items()}
    return Declarer(plant.store, kinds, plant.runtime)


async def contained(plant: Plant, kind: Kind) -> Declarer:
    declarer = alone(plant)
    for level, scope, name in (
        ("organization", Scope(), "acme"),
        ("project", Scope("acme"), "shop"),
        ("workspace", Scope("acme", "shop"), "live"),
    ):
        holder = KINDS[level]
        await declarer.declare(
            [Declaration(kind=level, scope=scope, name=name, spec=dict(holder.example))], ANN
        )
    return declarer


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
async def test_left_out_means_unchanged_and_false_needs_its_own_right(plant: Plant, kind: Kind) -> None:
    declarer = await contained(plant, kind)
    row = await protected(plant, kind, declarer)
    assert row.protected
    for author in (MEMBER, replace(MEMBER, owner="other.yaml")):
        (again,) = await declarer.declare([item(kind, labels={"a": "b"})], author)
        assert (again.protected, again.labels) == (True, {"a": "b"})
    with pytest.raises(Rejected, match=f"{kind.name} one is protected, and mia may not take that off"):
        await declarer.declare([item(kind, False)], MEMBER)
    with pytest.raises(Rejected, match="mia may not take that off"):
        await declarer.protect(row.ref, MEMBER, protected=False)
    with pytest.raises(Conflict, match=f"first run setpoint release {kind.name} one --protection"):
        await declarer.delete(row.ref, ANN)
    assert "intent.unprotected" not in [line.action for line in plant.store.audit[row.tenant]]
    (bare,) = await declarer.declare([item(kind, False)], ANN)
    assert not bare.protected
    assert [line.action for line in plant.store.audit[row.tenant]].count("intent.unprotected") == 1


async def test_who_took_a_protection_off_and_why_is_a_line_of_its_own(plant: Plant) -> None:
    declared = await plant.declare("shelf", "novels")
    await plant.declarer.protect(declared.ref, replace(ANN, reason="the shop needs it"), protected=True)
    made = plant.audit()[-1]
    assert (made.action, made.actor, made.detail["reason"]) == (
        "intent.protected",
        "ann",
        "the shop needs it",
    )
    await plant.declarer.protect(declared.ref, replace(ANN, reason="moved"), protected=False)
    gone = plant.audit()[-1]
    assert (gone.action, gone.actor, gone.detail["reason"]) == ("intent.unprotected", "ann", "moved")
    assert (gone.organization, plant.events()[-1].type) == ("acme", "entity.unprotected")
    before = plant.contents()
    await plant.declarer.protect(declared.ref, ANN, protected=False)
    assert plant.contents() == before


async def test_what_leaves_at_once_is_not_withdrawn_while_it_is_protected(plant: Plant) -> None:
    await plant.declare("note", "todo", author=replace(ANN, owner="shop.yaml"))
    (row,) = [found for found in plant.rows(Declared) if found.kind == "note"]
    await plant.declarer.protect(row.ref, ANN, protected=True)
    with pytest.raises(Rejected, match="1 mistake") as caught:
        await plant.declarer.declare([], FILE)
    assert [mistake.code for mistake in caught.value.mistakes] == ["protected"]
    await plant.declarer.protect(row.ref, ANN, protected=False)
    await plant.declarer.declare([], FILE)
    assert await plant.store.get(Declared, row.ref) is None


OTHER = {"zone": "example-net", "name": "mail", "type": "AAAA"}
NAMING = [(kind, field) for kind in KINDS.values() for field in kind.identity]


def test_every_kind_that_is_a_part_of_another_says_what_names_it() -> None:
    parts = {kind.name for kind in KINDS.values() if kind.parent}
    assert {kind.name for kind in KINDS.values() if kind.identity} == parts
    assert all(kind.parent in kind.identity for kind in KINDS.values() if kind.parent)
    assert all(set(kind.identity) <= set(kind.spec.__struct_fields__) for kind in KINDS.values())


@pytest.mark.parametrize(("kind", "field"), NAMING, ids=[f"{kind.name}.{field}" for kind, field in NAMING])
async def test_what_names_a_thing_stays_while_it_is_protected(plant: Plant, kind: Kind, field: str) -> None:
    """Under another name it would be made anew, and what is protected deleted under its old one."""
    declarer = await contained(plant, kind)
    row = await protected(plant, kind, declarer)
    moved = replace(item(kind), spec={**kind.example, field: OTHER[field], "values": ["2001:db8::1"]})
    for author in (MEMBER, ANN):  # Whoever may take the protection off does so first, in so many words.
        with pytest.raises(Rejected) as found:
            await declarer.declare([moved], author)
        [mistake] = found.value.mistakes
        assert (mistake.pointer, mistake.code) == (f"/spec/{field}", "protected")
        assert f'first run setpoint release {kind.name} one --protection --reason "WHY"' in mistake.message
    (same,) = await declarer.declare([replace(item(kind), labels={"a": "b"})], MEMBER)
    assert (same.ref, same.spec, same.labels) == (row.ref, row.spec, {"a": "b"})
    (bare,) = await declarer.declare([replace(moved, protected=False)], ANN)
    assert (bare.ref, bare.spec[field], bare.protected) == (row.ref, OTHER[field], False)


@pytest.mark.parametrize(("kind", "field"), NAMING, ids=[f"{kind.name}.{field}" for kind, field in NAMING])
async def test_what_is_not_protected_is_renamed_and_may_be_protected_with_it(
    plant: Plant, kind: Kind, field: str
) -> None:
    declarer = await contained(plant, kind)
    (row,) = await declarer.declare([item(kind)], MEMBER)
    moved = replace(item(kind), spec={**kind.example, field: OTHER[field], "values": ["2001:db8::1"]})
    (once,) = await declarer.declare([moved], MEMBER)
    assert (once.ref, once.spec[field]) == (row.ref, OTHER[field])
    (back,) = await declarer.declare([item(kind, True)], MEMBER)
    assert (back.spec[field], back.protected) == (kind.example[field], True)


async def test_another_spelling_of_a_name_is_the_same_name(plant: Plant) -> None:
    kind = KINDS["dns_record"]
    declarer = await contained(plant, kind)
    await protected(plant, kind, declarer)
    (row,) = await declarer.declare([replace(item(kind), spec={**kind.example, "name": "WWW"})], MEMBER)
    assert (row.spec["name"], row.protected) == ("WWW", True)
