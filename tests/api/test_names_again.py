"""A name begins anew: nothing that was given or kept under it reaches the next object of that name."""

from collections.abc import Mapping
from typing import Any, Final

from harness import ORGANIZATION
from setpoint.api.beginning import ABOUT, CHAINED, Anew
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import DECLARED_AT, TOKENS_IN, Change, Drop
from setpoint.engine.tables import APPENDED, TABLES
from setpoint.engine.tenancy import Standing
from setpoint.engine.token import Token

from .belonging import MEMBERSHIPS, ROLES, given, invite, member
from .kit import Answer, Api, as_other, settled

HANDLED: Final[Mapping[type[Any], str]] = {
    Switch: "switches",
    Token: "tokens",
    Standing: "standings",
    Declared: "given",
}
"""What of `Anew` drops the rows of each table that are kept by a name."""


def test_every_table_says_what_reaches_the_next_of_a_name() -> None:
    every = {**{row: table.reach for row, table in TABLES.items()}, **APPENDED}
    assert {row for row, reach in every.items() if reach == "dropped"} == set(HANDLED)
    assert all(hasattr(Anew, name) for name in HANDLED.values())
    assert {row for row, reach in every.items() if reach == "since"} == {*ABOUT, *CHAINED}


def test_what_is_kept_by_a_name_is_dropped_with_all_inside_it_and_nothing_beside() -> None:
    def row(kind: str, scope: Scope, name: str) -> Declared:
        return Declared(ref=Ref(f"{kind}/{name}"), kind=kind, scope=scope, name=name, spec={}, generation=0)

    shop = Anew((row("project", Scope("acme"), "shop"),), "ann", 1.0)
    keys = ("all", "scope:acme", "scope:acme/shop", "scope:acme/shop/w", "scope:acme/shop2", "kind:host")
    switches = [Switch(key=key, mode=Mode.STOP, by="", reason="", since=0.0) for key in keys]
    assert [each.key for each in _dropped(shop.switches(switches))] == [
        "scope:acme/shop",
        "scope:acme/shop/w",
    ]
    tokens = [
        Token(hash=str(scope), subject="ci", role="owner", scope=scope)
        for scope in (
            Scope(),
            Scope("acme"),
            Scope("acme", "shop"),
            Scope("acme", "shop", "w"),
            Scope("b", "shop"),
        )
    ]
    assert [each.key for each in _dropped(shop.tokens(tokens))] == ["acme/shop", "acme/shop/w"]
    assert not shop.standings().writes
    acme = Anew((row("organization", Scope(), "acme"),), "ann", 1.0)
    assert [each.key for each in _dropped(acme.standings())] == ["acme"]
    assert [each.key for each in _dropped(acme.tokens(tokens))] == ["acme", "acme/shop", "acme/shop/w"]


def _dropped(change: Change) -> list[Drop]:
    return [each for each in change.writes if isinstance(each, Drop)]


async def vanish(api: Api, slot: str) -> None:
    """It was deleted, and is confirmed gone."""
    [row] = await api.store.read(DECLARED_AT, slot=slot)
    await api.store.commit(Change(writes=(Drop(Declared, row.ref),)))


async def token(api: Api, **where: str) -> str:
    body = {"name": "ci", "role": "owner", **where}
    return str((await api.good("POST", f"{ORGANIZATION}/tokens", body))["token"])


async def asked(api: Api, secret: str, path: str) -> Answer:
    async with as_other(api, secret) as other:
        return await other.get(path)


async def test_a_token_stops_with_its_place_and_does_not_open_the_next(api: Api) -> None:
    await api.declare(*settled())
    whole, narrow = await token(api), await token(api, project="shop")
    shop = f"{ORGANIZATION}/projects/shop"
    assert [(await asked(api, each, shop)).status for each in (whole, narrow)] == [200, 200]
    await vanish(api, "project|acme|shop")
    refused = await asked(api, narrow, shop)
    assert (refused.status, refused.body["code"]) == (401, "void_scope")
    assert [each["role"] for each in (await api.get(f"{ORGANIZATION}/tokens")).body["items"]] == ["owner"]
    await api.good("PUT", shop, {"spec": {}})
    assert (await asked(api, narrow, shop)).status == 401
    assert (await asked(api, whole, shop)).status == 200
    left = await api.store.read(TOKENS_IN, organization="acme", after="", limit=9)
    assert [str(each.scope) for each in left] == ["acme"]


async def test_the_past_of_an_organization_is_not_the_next_ones(api: Api) -> None:
    await api.declare(*settled())
    async with member(api, "ann", given("owner")) as ann:
        before = (await ann.get(f"{ORGANIZATION}/audit")).body["items"]
    await vanish(api, "organization||acme")
    await api.good("PUT", ORGANIZATION, {"spec": {}})
    await vanish(api, "membership|acme|ann")
    async with member(api, "bob", given("owner")) as bob:
        for part in ("audit", "audit?order_by=revision%20desc", "events"):
            items = (await bob.get(f"{ORGANIZATION}/{part}")).body["items"]
            assert items
            assert min(each["revision"] for each in items) > before[-1]["revision"], part
        assert (await bob.get(f"{ORGANIZATION}/audit:verify")).body["intact"]
    assert (await api.get(f"{ORGANIZATION}/audit")).body["items"][0] == before[0]


async def test_what_a_role_forbids_in_a_place_stays_and_what_it_allows_goes(api: Api) -> None:
    await api.declare(*settled())
    rules = [
        {"keys": ["project.*"], "verbs": ["read"], "project": "shop"},
        {"keys": ["project.*"], "verbs": ["read"], "effect": "forbid", "project": "shop"},
        {"keys": ["project.*"], "verbs": ["read"]},
    ]
    await api.good("PUT", f"{ROLES}/own", {"spec": {"rules": rules}})
    await invite(api, "ann", given("auditor", project="shop"), given("member"))
    await vanish(api, "project|acme|shop")
    await api.good("PUT", f"{ORGANIZATION}/projects/shop", {"spec": {}})
    left = (await api.good("GET", f"{ROLES}/own"))["spec"]["rules"]
    assert [(each.get("effect"), each.get("project")) for each in left] == [("forbid", "shop"), ("allow", "")]
    roles = (await api.good("GET", f"{MEMBERSHIPS}/ann"))["spec"]["roles"]
    assert [each["role"] for each in roles] == ["member"]
