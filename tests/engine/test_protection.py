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
