"""Reading what is declared: scopes, nearest names, children, and a proposal laid over all of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.entity import Declared, Ref, Scope, Status, canonical, hash_of, kind_of, ref_of, slot
from setpoint.engine.intent import Intent
from setpoint.engine.kind import level_of
from setpoint.engine.rows import told

from .plant import ACME, SHOP, Plant

PROD = Scope("acme", "shop", "prod")


@pytest.mark.parametrize(
    ("scope", "level", "text", "around"),
    [
        (Scope(), "installation", "", 1),
        (ACME, "organization", "acme", 2),
        (SHOP, "project", "acme/shop", 3),
        (PROD, "workspace", "acme/shop/prod", 4),
    ],
)
def test_a_scope_knows_its_level_its_name_and_what_is_around_it(
    scope: Scope, level: str, text: str, around: int
) -> None:
    assert (level_of(scope), str(scope), len(scope.outwards())) == (level, text, around)
    assert (scope.outwards()[0], scope.outwards()[-1]) == (scope, Scope())
    assert all(outer.holds(scope) for outer in scope.outwards())


@pytest.mark.parametrize(
    ("outer", "inner"), [(SHOP, ACME), (SHOP, Scope("acme", "other")), (ACME, Scope("other"))]
)
def test_a_scope_does_not_hold_what_lies_outside(outer: Scope, inner: Scope) -> None:
    assert not outer.holds(inner)


@pytest.mark.parametrize(
    ("kind", "name", "scope", "inner"),
    [
        ("organization", "acme", Scope(), ACME),
        ("project", "shop", ACME, SHOP),
        ("workspace", "prod", SHOP, PROD),
        ("shelf", "novels", SHOP, None),
    ],
)
def test_a_container_is_a_scope_itself(kind: str, name: str, scope: Scope, inner: Scope | None) -> None:
    row = Declared(ref=ref_of(kind, "1"), kind=kind, scope=scope, name=name, spec={})
    assert row.inner == inner
    assert (row.organization, row.project, row.workspace) == (scope.organization, scope.project, "")
    assert row.tenant == "acme"


def test_an_event_knows_what_kind_of_thing_it_is_about() -> None:
    row = Declared(ref=Ref("shelf/1"), kind="shelf", scope=SHOP, name="novels", spec={})
    event = told(row, "shelf.burns", "all of it", 7.0)
    assert (event.kind, event.organization, kind_of(event.ref)) == ("shelf", "acme", "shelf")


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=5), st.randoms(use_true_random=False))
def test_a_value_has_one_spelling_and_one_hash(value: dict[str, int], chance: Any) -> None:
    items = list(value.items())
    chance.shuffle(items)
    assert (canonical(dict(items)), hash_of(dict(items))) == (canonical(value), hash_of(value))


@given(st.sampled_from([Scope(), ACME, SHOP, PROD]), st.sampled_from("ab"), st.sampled_from("xy"))
def test_a_place_is_taken_by_kind_scope_and_name_together(scope: Scope, kind: str, name: str) -> None:
    assert slot(kind, scope, name) == f"{kind}|{scope}|{name}"


async def test_what_is_not_declared_is_none(plant: Plant) -> None:
    assert await plant.intent.entity(Ref("shelf/none")) is None
    assert await plant.intent.named("shelf", PROD, "none") is None


async def test_the_nearest_of_a_name_is_found(plant: Plant) -> None:
    far = await plant.declare("account", "cloud", scope=ACME)
    assert await named(plant, PROD) == far.ref
    near = await plant.declare("account", "cloud", scope=SHOP)
    assert [await named(plant, PROD), await named(plant, ACME)] == [near.ref, far.ref]


async def named(plant: Plant, scope: Scope) -> Ref:
    found = await plant.intent.named("account", scope, "cloud")
    assert found is not None
    return found.ref


async def test_children_are_joined_with_their_statuses_in_the_order_of_their_birth(plant: Plant) -> None:
    shelf = (await plant.declare("shelf", "novels")).ref
    books = [(await plant.declare("book", name, shelf="novels")).ref for name in "cab"]
    await plant.put(Status(ref=books[1], reason="read"))
    found = await plant.intent.children(shelf, "book")
    assert [book.ref for book in found] == books
    assert [book.status.reason for book in found][1] == "read"
    assert (await plant.intent.children(shelf, "lamp"), await plant.intent.joined([])) == ((), ())


async def test_a_proposal_shadows_what_is_stored_and_adds_what_is_new(plant: Plant) -> None:
    shelf = await plant.declare("shelf", "novels")
    book = await plant.declare("book", "dune", shelf="novels")
    new = replace(book, ref=Ref("book/new"), name="emma")
    proposed = (replace(book, spec={"shelf": "novels", "text": "changed"}), new)
    over = Intent(plant.store, plant.kinds, proposed)
    children = await over.children(shelf.ref, "book")
    assert [(child.name, child.spec.text) for child in children] == [("dune", "changed"), ("emma", "")]
    found = await over.named("book", SHOP, "emma")
    assert found is not None
    assert found.ref == "book/new"
    assert (await plant.entity(book.ref)).spec.text == ""


async def test_everything_within_a_scope_is_found_at_any_depth(plant: Plant) -> None:
    await plant.declare("workspace", "prod")
    inner = await plant.declare("shelf", "deep", scope=PROD)
    assert inner.ref in {row.ref for row in await plant.intent.inside(ACME)}
    assert [row.ref for row in await plant.intent.inside(PROD)] == [inner.ref]
