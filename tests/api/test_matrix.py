"""Every route of the live application, asked by every role from every distance with every sort of credential.

`matrix.txt` says what each route demands. Whether somebody has that is worked out by the second evaluator, so
a wrong answer is one of the routes', the roles' or the decision's. `SETPOINT_MATRIX=full` lets everybody ask
everywhere; in the usual run they take turns.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from starlette.types import ASGIApp

from access.reference import Given, Lines, Somebody, belongs, may
from setpoint.access.credential import PREFIXES, hash_token, minted
from setpoint.access.decision import Question
from setpoint.access.permission import OTHERS, VERBS, Permission
from setpoint.access.role import ADMINISTRATOR, SEEDED, SELF
from setpoint.access.rule import Rule
from setpoint.api import app as application
from setpoint.api.served import Served
from setpoint.engine.account import Account
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.store import Change, Drop, Put
from setpoint.engine.tenancy import Acceptance
from setpoint.engine.token import Sort, Token
from setpoint.system import now

from .kit import Api, settled, still, thing
from .within import Found, ask

TABLE = Path(__file__).with_name("matrix.txt")
FULL = os.environ.get("SETPOINT_MATRIX") == "full"
NAMES = {
    "organization": "acme",
    "project": "shop",
    "workspace": "prod",
    "dns_zones": "example-org",
    "memberships": "somebody",
    "notification_channels": "hooks",
    "organizations": "acme",
    "projects": "shop",
    "providers": "hetzner",
    "roles": "made-0",
    "workspaces": "prod",
}
CONTAINERS = {"organizations": "organization", "projects": "project", "workspaces": "workspace"}
INSIDE = ((), ("shop",), ("shop", "prod"), ("shop", "test"), ("blog",), ("blog", "x"))
PLACES = [Scope(), *(Scope("acme", *parts) for parts in INSIDE), Scope("other")]
DISTANCES = {
    "own": Scope("acme"),
    "own project": Scope("acme", "shop"),
    "own workspace": Scope("acme", "shop", "prod"),
    "sibling project": Scope("acme", "blog"),
    "sibling workspace": Scope("acme", "shop", "test"),
    "foreign": Scope("other"),
}
GENERATED = ("made-0", "made-1", "made-2")
EVERY_ROLE = (*(role.name for role in SEEDED), *GENERATED)
PATTERNS = (
    "*",
    "organization.*",
    "project.*",
    "organization",
    "organization.project",
    "project.dns_zone",
    "catalog",
)


def generated() -> dict[str, tuple[Rule, ...]]:
    """Three roles that nobody would write, the same every time."""
    chance = Random(7)  # noqa: S311 - no secret
    return {
        name: tuple(
            Rule(
                keys=tuple(chance.sample(PATTERNS, 2)),
                verbs=tuple(chance.sample(VERBS, chance.randint(2, 5))),
                effect="forbid" if at == 2 else "allow",
                project="shop" if chance.random() < 0.3 else "",
            )
            for at in range(3)
        )
        for name in GENERATED
    }


ROLES: Lines = {
    **{("", role.name): role.rules for role in (*SEEDED, ADMINISTRATOR, SELF)},
    **{(place, name): rules for name, rules in generated().items() for place in ("acme", "other")},
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


@dataclass(frozen=True)
class Caller:
    """Somebody with a credential, and what is written down about them."""

    words: str
    sort: Sort
    secret: str
    who: Somebody

    @property
    def person(self) -> bool:
        return self.sort in ("session", "personal")


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
    scope = Scope() if how == "above" else Scope(**place)
    return Asked(method, filled.format(**NAMES), permission, how, scope, "" if how == "above" else name)


def holds_such(place: Scope, key: str) -> bool:
    """Whether objects of this key can be asked about there: no provider lies in a project."""
    if key in OTHERS:
        return True
    holder = {"organization": "organization", "organization.project": "project"}.get(
        key, key.rsplit(".", maxsplit=1)[-1]
    )
    if holder not in CONTAINERS.values():
        holder = key.split(".")[-2]
    parts = tuple(CONTAINERS.values())
    return not any(getattr(place, part) for part in parts[parts.index(holder) + 1 :])


def lets_in(asked: Asked, who: Somebody) -> bool:
    inside = [
        place
        for place in (PLACES if asked.how == "within" else ())
        if asked.scope.holds(place) and holds_such(place, asked.permission.key)
    ]
    questions = [Question(asked.permission, place, asked.name) for place in (asked.scope, *inside)]
    return any(may(who, ROLES, question, now()) for question in questions)


def harmless(asked: Asked) -> bytes:
    """In a way that changes nothing: of a version that is not there, or without sense."""
    return b"[]" if asked.method in ("POST", "PUT", "PATCH") else b""


def token(name: str, sort: Sort, **more: object) -> tuple[str, Token]:
    secret = minted(name.replace(" ", "-"), "s" * 43, PREFIXES[sort])
    made = {"subject": name, "role": "", "sort": sort, "proved_at": now(), "seen_at": now(), **more}
    return secret, Token(hash=hash_token(secret), **made)  # type: ignore[arg-type]


def given(role: str, scope: Scope) -> Given:
    return Given(scope.organization, role, scope.project, scope.workspace)


@dataclass
class Crowd:
    """Everybody who asks."""

    api: Api
    found: list[Caller]

    async def add(self, role: str, distance: str) -> None:
        """A person and a program with this role, there; the person by session and by a token of their own."""
        scope, words = DISTANCES[distance], f"{role} {distance}"
        person = await self._person(words, role, scope)
        await self._credential(words, "session", person, Somebody((given(role, scope),)))
        await self._credential(words, "service", None, Somebody((given(role, scope),)), role, scope)
        if scope.workspace:
            await self._credential(words, "workspace", None, Somebody((given(role, scope),)), role, scope)
        turn = len(self.found)
        own, where = EVERY_ROLE[turn % len(EVERY_ROLE)], list(DISTANCES.values())[turn % 4]
        who = Somebody((given(role, scope),), own=given(own, where))
        await self._credential(words, "personal", person, who, own, where)

    async def _person(self, words: str, role: str, scope: Scope) -> Account:
        name = words.replace(" ", "-")
        account = Account(id=f"u-{name}", email=f"{name}@example.org")
        line = {"role": role, "project": scope.project, "workspace": scope.workspace}
        item = thing("membership", name, {"email": account.email, "roles": [line]})
        path = f"/v1/organizations/{scope.organization}/declarations"
        [made] = (await self.api.good("POST", path, {"items": [item]}))["items"]
        said = Acceptance(ref=Ref(made["metadata"]["ref"]), account=account.id, email=account.email, at=1.0)
        await self.api.store.commit(Change(writes=(Put(account), Put(said))))
        return account

    async def _credential(
        self, words: str, sort: Sort, person: Account | None, who: Somebody, *bound: object
    ) -> None:
        role, scope = bound or ("", Scope())
        account = person.id if person else ""
        secret, row = token(f"{words}-{sort}", sort, account=account, role=role, scope=scope)
        await self.api.store.commit(Change(writes=(Put(row),)))
        self.found.append(Caller(f"{words} by {sort}", sort, secret, who))


@pytest.fixture
async def world(api: Api) -> Api:
    """Two organizations, siblings of everything, and the generated roles in both."""
    workspace = thing("workspace", "test", {"provider": "hetzner"}, project="shop")
    away = thing("membership", "somebody", {"email": "somebody@example.org"})
    await api.declare(*settled(), thing("project", "blog", {}), workspace, away)
    await api.good("PUT", "/v1/organizations/other", {"spec": {}})
    for name, rules in generated().items():
        for place in ("acme", "other"):
            rest = [rule for rule in rules if place == "acme" or not rule.project]
            spec = {"rules": to_builtins(rest)}
            await api.good("PUT", f"/v1/organizations/{place}/roles/{name}", {"spec": spec})
    return api


def live(api: Api) -> set[tuple[str, str]]:
    return {
        (method, re.sub(r":\w+}", "}", route.path))
        for route in api.run.application.api.routes
        for method in (getattr(route, "methods", None) or set()) - {"HEAD"}
        if getattr(route, "path", "").startswith("/v1/")
    }


def test_every_route_is_in_the_table_and_every_line_is_a_route(api: Api) -> None:
    assert {(method, path) for method, path, _, _ in rows()} == live(api)
    listed = [(method, path) for method, path, _, _ in rows()]
    assert len(listed) == len(set(listed))


async def everybody(world: Api) -> list[Caller]:
    crowd = Crowd(world, [])
    for role in EVERY_ROLE:
        for distance in DISTANCES:
            await crowd.add(role, distance)
    agent, row = token("agent", "agent", role="agent", ref=Ref("agent/nobody"))
    await world.store.commit(Change(writes=(Put(row),)))
    return [*crowd.found, Caller("an agent", "agent", agent, Somebody(()))]


async def wrong_answers(app: ASGIApp, callers: list[Caller], usual: str) -> tuple[list[object], int]:
    """Everybody at every route; who got another answer than the table says, and how many were asked."""
    wrong: list[object] = []
    requests = 0
    for at, asked in enumerate(asked_of()):
        expected = (await ask(app, asked.method, asked.path, usual, harmless(asked))).status
        for turn, caller in enumerate(callers):
            if not FULL and (at + turn) % 3 and caller.sort != "agent":
                continue
            if caller.sort == "session" and asked.path == "/v1/sessions/current":
                continue  # It would end.
            found = await ask(app, asked.method, asked.path, caller.secret, harmless(asked))
            requests += 1
            if not _right(asked, caller, found, expected):
                wrong.append((caller.words, asked.method, asked.path, found.status, expected))
    return wrong, requests


def _right(asked: Asked, caller: Caller, found: Found, usual: int) -> bool:
    if asked.how == "person":
        return (found.status not in (401, 403)) if caller.person else found.status == 403
    if caller.sort == "agent" and asked.permission.key == "agent.report":
        return found.status == 401  # It is let in, and then unknown: nobody enrolled it.
    if asked.how == "each":
        return found.status not in (401, 403) or found.status == usual
    if lets_in(asked, caller.who):
        return found.status == usual
    return found.status == (403 if belongs(caller.who, ROLES, asked.scope, now()) else 404)


@pytest.mark.timeout(900)
async def test_each_role_gets_as_far_as_its_rules_and_its_scope_reach(world: Api) -> None:
    callers = await everybody(world)
    wrong, requests = await wrong_answers(world.run.application.api, callers, world.run.token)
    print(f"{requests} requests by {len(callers)} callers at {len(asked_of())} routes")  # noqa: T201
    assert wrong == [], f"{len(wrong)} of {requests}: {wrong[:20]}"
    assert requests > 10_000


async def test_nobody_gets_in_with_what_is_wrong_revoked_over_or_somebodys_who_is_shut_out(
    world: Api,
) -> None:
    app, crowd = world.run.application.api, Crowd(world, [])
    await crowd.add("owner", "own workspace")
    for caller in crowd.found:
        assert (await ask(app, "GET", "/v1/me", caller.secret)).status == 200
    over, gone = token("over", "service", role="owner", scope=Scope("acme"), expires_at=1.0), crowd.found[1]
    await world.store.commit(Change(writes=(Put(over[1]), Drop(Token, hash_token(gone.secret)))))
    account = await world.store.get(Account, "u-owner-own-workspace")
    assert account is not None
    shut = Account(id=account.id, email=account.email, disabled=True)
    await world.store.commit(Change(writes=(Put(shut),)))
    people = [caller.secret for caller in crowd.found if caller.person]
    for asked in asked_of():
        for secret in (over[0], gone.secret, "made-up", ""):
            assert (await ask(app, asked.method, asked.path, secret, harmless(asked))).status == 401, asked
        for secret in people:
            found = await ask(app, asked.method, asked.path, secret, harmless(asked))
            assert found.status == 401, asked


async def test_foreign_and_absent_look_the_same_byte_for_byte(world: Api) -> None:
    app, crowd = world.run.application.api, Crowd(world, [])
    for distance in ("foreign", "sibling project"):
        await crowd.add("owner", distance)
    compared = 0
    for caller in crowd.found:
        for asked in asked_of():
            if "acme/projects/shop" not in asked.path or asked.how == "each" or lets_in(asked, caller.who):
                continue
            there = await ask(app, asked.method, asked.path, caller.secret, harmless(asked))
            elsewhere = asked.path.replace("/shop", "/nope")
            missing = await ask(app, asked.method, elsewhere, caller.secret, harmless(asked))
            assert there.status == missing.status == 404, asked
            assert there.said.replace(b"shop", b"nope") == missing.said, asked
            compared += 1
    assert compared > 300


async def rebuilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Served], Served]
) -> list[object]:
    """What the matrix finds in an application whose routes were changed."""
    gate = application.Gate
    monkeypatch.setattr(application, "Gate", lambda services: _Changed(gate(services), change))
    async with still(tmp_path) as api:
        await api.declare(*settled())
        crowd = Crowd(api, [])
        await crowd.add("billing", "own")
        return (await wrong_answers(api.run.application.api, crowd.found, api.run.token))[0]


@dataclass
class _Changed:
    gate: application.Gate
    change: Callable[[Served], Served]

    def route(self, served: Served) -> object:
        return self.gate.route(self.change(served))


async def test_the_matrix_notices_one_route_that_lost_its_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(served: Served) -> Served:
        if (served.method, served.path) != ("GET", "/v1/organizations/{organization}/audit"):
            return served
        return replace(served, demand=replace(served.demand, how="each"))

    assert await rebuilt(tmp_path / "as-it-is", monkeypatch, lambda served: served) == []
    found = await rebuilt(tmp_path / "opened", monkeypatch, opened)
    assert found
    assert {each[2] for each in found} == {"/v1/organizations/acme/audit"}  # type: ignore[index]


def test_a_new_route_has_a_permission_that_can_be_given_and_a_line_in_the_table(api: Api) -> None:
    handler, kinds = application.Access.me, api.run.application.scheduler.kinds
    with pytest.raises(TypeError, match="demand"):
        Served("/v1/new", handler)  # type: ignore[call-arg, arg-type]
    new = Served("/v1/new", handler, application.demand("read", "no.such.key"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="which is no key"):
        application.check_demands(kinds, [new])
    api.run.application.api.add_route("/v1/new", lambda request: None)  # type: ignore[arg-type, return-value]
    assert live(api) - {(method, path) for method, path, _, _ in rows()} == {("GET", "/v1/new")}
