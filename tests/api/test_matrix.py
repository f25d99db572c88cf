"""Every route of the live application, asked by every role from every distance; the answers are in a table.

`matrix.txt` says what each route demands. Whether a role has that is worked out by the second evaluator, so a
wrong answer is one of the routes', the roles' or the decision's.
"""

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from access.reference import permitted
from setpoint.access.credential import hash_token
from setpoint.access.decision import Question
from setpoint.access.permission import Permission
from setpoint.access.role import SEEDED, grants_of
from setpoint.access.rule import Binding
from setpoint.engine.entity import Scope
from setpoint.engine.store import Change, Drop, Put
from setpoint.engine.token import Token

from .kit import Answer, Api, as_other, settled

TABLE = Path(__file__).with_name("matrix.txt")
NAMES = {
    "organization": "acme",
    "project": "shop",
    "workspace": "prod",
    "dns_zones": "example-org",
    "notification_channels": "hooks",
    "organizations": "acme",
    "projects": "shop",
    "providers": "hetzner",
    "workspaces": "prod",
}
CONTAINERS = {"organizations": "organization", "projects": "project", "workspaces": "workspace"}
PLACES = [Scope(), *(Scope("acme", *p) for p in ((), ("shop",), ("shop", "prod"), ("blog",), ("blog", "x")))]
PLACES.append(Scope("other"))
DISTANCES = {
    "own": Scope("acme"),
    "own project": Scope("acme", "shop"),
    "own workspace": Scope("acme", "shop", "prod"),
    "sibling project": Scope("acme", "blog"),
    "foreign": Scope("other"),
}


@dataclass(frozen=True)
class Asked:
    """One line of the table, with names that are there."""

    method: str
    path: str
    permission: Permission
    how: str
    scope: Scope
    name: str


def rows() -> Iterator[tuple[str, str, Permission, str]]:
    for line in TABLE.read_text().splitlines():
        if not line.startswith("#"):
            method, path, verb, key, how = line.split()
            yield method, path, Permission(verb, key), how  # type: ignore[arg-type]


def asked_of() -> list[Asked]:
    return [_asked(*row) for row in rows() if row[-1] != "public"]


def _asked(method: str, path: str, permission: Permission, how: str) -> Asked:
    plural = re.search(r"/(\w+)/{name}", path)
    name = NAMES.get(plural.group(1), "nobody") if plural else ""
    place = {part: NAMES[part] for part in ("organization", "project", "workspace") if f"{{{part}}}" in path}
    if plural and plural.group(1) in CONTAINERS:
        place[CONTAINERS[plural.group(1)]] = name
    filled = path.replace("{name}", name).replace("{id}", "nobody").replace("{key}", "scope:acme/shop")
    if "{key}" in path:
        place = {"organization": "acme", "project": "shop"}
    return Asked(method, filled.format(**NAMES), permission, how, Scope(**place), name)


def lets_in(asked: Asked, role: str, bound: Scope) -> bool:
    grants = grants_of((Binding(role=role, scope=bound),))
    if asked.how == "each":
        return True
    inside = [place for place in PLACES if asked.scope.holds(place)] if asked.how == "within" else []
    questions = [Question(asked.permission, place, asked.name) for place in (asked.scope, *inside)]
    return any(permitted(grants, question, 0.0) for question in questions)


async def ask(api: Api, asked: Asked) -> Answer:
    """In a way that changes nothing: of a version that is not there, or without sense."""
    body = [] if asked.method in ("POST", "PUT", "PATCH") else None
    return await api.call(asked.method, asked.path, body, headers={"If-Match": '"of-no-version"'})


async def given_out(api: Api, name: str, role: str, scope: Scope, expires_at: float = 0.0) -> str:
    secret = f"secret-of-{name}"
    token = Token(
        hash=hash_token(secret), subject=name, role=role, id=name, scope=scope, expires_at=expires_at
    )
    await api.store.commit(Change(writes=(Put(token),)))
    return secret


def test_every_route_is_in_the_table_and_every_line_is_a_route(api: Api) -> None:
    document = api.run.application.api.routes
    live = {
        (method, re.sub(r":\w+}", "}", route.path))
        for route in document
        for method in (getattr(route, "methods", None) or set()) - {"HEAD"}
        if getattr(route, "path", "").startswith("/v1/")
    }
    assert {(method, path) for method, path, _, _ in rows()} == live


@pytest.mark.timeout(600)
async def test_each_role_gets_as_far_as_its_rules_and_its_scope_reach(api: Api) -> None:
    await api.declare(*settled())
    wrong, requests = [], 0
    async with AsyncExitStack() as stack:
        people = {}
        for role in SEEDED:
            for distance, scope in DISTANCES.items():
                secret = await given_out(api, f"{role.name}-{distance}".replace(" ", "-"), role.name, scope)
                people[role.name, distance] = await stack.enter_async_context(as_other(api, secret))
        for asked in asked_of():
            usual = (await ask(api, asked)).status
            for (role_name, distance), person in people.items():
                found = (await ask(person, asked)).status
                requests += 1
                expected = lets_in(asked, role_name, DISTANCES[distance])
                if not (found == usual if expected else found in (403, 404)):
                    wrong.append((role_name, distance, asked.method, asked.path, found, usual))
    assert wrong == [], f"{len(wrong)} of {requests}"
    assert requests > 4_000


async def test_nobody_gets_in_with_what_is_wrong_revoked_or_over(api: Api) -> None:
    await api.declare(*settled())
    over = await given_out(api, "over", "owner", Scope("acme"), expires_at=1.0)
    gone = await given_out(api, "gone", "owner", Scope("acme"))
    async with AsyncExitStack() as stack:
        revoked = await stack.enter_async_context(as_other(api, gone))
        assert (await revoked.get("/v1/organizations/acme")).status == 200
        await api.store.commit(Change(writes=(Drop(Token, hash_token(gone)),)))
        others = [
            revoked,
            *[await stack.enter_async_context(as_other(api, s)) for s in (over, "made-up", "")],
        ]
        for asked in asked_of():
            for other in others:
                assert (await ask(other, asked)).status == 401, asked


async def test_foreign_and_absent_look_the_same(api: Api) -> None:
    await api.declare(*settled())
    secret = await given_out(api, "eve", "owner", Scope("other"))
    near = await given_out(api, "bob", "owner", Scope("acme", "blog"))
    for who in (secret, near):
        async with as_other(api, who) as other:
            for asked in asked_of():
                if "acme/projects/shop" not in asked.path or asked.how == "each":
                    continue
                there = await ask(other, asked)
                absent = asked.path.replace("/shop", "/nope")
                missing = await other.call(asked.method, absent, [] if asked.method != "GET" else None)
                assert there.status == missing.status == 404, asked
                assert there.raw.replace(b"shop", b"nope") == missing.raw, asked
