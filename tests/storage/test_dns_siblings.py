"""Two people declare the same name in a zone at the same moment: one of them is refused, on every store."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from engine.fake_runtime import FakeRuntime
from setpoint.engine.declare import Declarer
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.errors import Rejected
from setpoint.engine.store import DECLARED_CHILDREN, DECLARED_INSIDE, Query, Store
from setpoint.kinds import by_name

ACME, SHOP = Scope("acme"), Scope("acme", "shop")
ANN = Author(actor="ann", organization="acme")


class Interrupted:
    """A store at which somebody else is quicker: they write once the siblings have been read."""

    def __init__(self, store: Store, quicker: Callable[[], Awaitable[object]]) -> None:
        self._store, self._quicker = store, [quicker]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, query: Query[Any], **values: Any) -> list[Any]:
        found = await self._store.read(query, **values)
        if query is DECLARED_CHILDREN and self._quicker:
            await self._quicker.pop()()
        return found


def item(kind: str, name: str, scope: Scope = SHOP, /, **spec: Any) -> Declaration:
    return Declaration(kind=kind, scope=scope, name=name, spec=spec, pointer=f"/{name}")


def record(name: str, place: str) -> Declaration:
    return item("dns_record", name, zone="example", name=place, type="A", values=["192.0.2.1"])


@pytest.fixture
async def declarer(store: Store) -> Declarer:
    declarer = Declarer(store, by_name(), FakeRuntime())
    start = (
        item("organization", "acme", Scope()),
        item("project", "shop", ACME),
        item("provider", "h", ACME, family="hetzner_cloud", credential="secret://h", mode="run"),
        item("dns_zone", "example", provider="h", domain="example.org"),
    )
    await declarer.declare(start, ANN)
    return declarer


async def test_who_comes_second_is_told_of_the_first(declarer: Declarer) -> None:
    async def quicker() -> object:
        return await declarer.declare((record("theirs", "www"),), ANN)

    mine = Declarer(Interrupted(declarer.store, quicker), declarer.kinds, declarer.runtime)
    with pytest.raises(Rejected) as refusal:
        await mine.declare((record("mine", "www"),), ANN)
    [mistake] = refusal.value.mistakes
    assert (mistake.pointer, mistake.code) == ("/mine/spec/name", "clash")
    assert "theirs" in mistake.message


async def test_another_name_of_the_zone_is_declared_all_the_same(declarer: Declarer) -> None:
    async def quicker() -> object:
        return await declarer.declare((record("theirs", "api"),), ANN)

    mine = Declarer(Interrupted(declarer.store, quicker), declarer.kinds, declarer.runtime)
    assert [row.name for row in await mine.declare((record("mine", "www"),), ANN)] == ["mine"]


async def test_of_several_at_once_exactly_one_holds_the_name(declarer: Declarer) -> None:
    several = [declarer.declare((record(f"r{number}", "www"),), ANN) for number in range(6)]
    outcomes = await asyncio.gather(*several, return_exceptions=True)
    assert sum(isinstance(outcome, tuple) for outcome in outcomes) == 1
    stored = await declarer.store.read(DECLARED_INSIDE, organization="acme", project="shop", workspace="")
    assert len([row for row in stored if isinstance(row, Declared) and row.kind == "dns_record"]) == 1
