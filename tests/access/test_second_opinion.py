"""A second evaluator says the same of random people, roles and tokens: from what is stored to the answer.

`SETPOINT_GRAPHS=1000` is the full dose; the usual run has a small one.
"""

import asyncio
import os
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from msgspec import to_builtins

from access.reference import Given, Lines, Somebody, may
from setpoint.access.decision import Question
from setpoint.access.permission import VERBS, Permission
from setpoint.access.role import ADMINISTRATOR, SEEDED, SELF
from setpoint.access.rule import Rule
from setpoint.access.subject import Subject
from setpoint.api.identity import subject_for
from setpoint.engine.account import Account
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.store import Change, Put
from setpoint.engine.tenancy import Acceptance, Standing
from setpoint.engine.token import Token
from setpoint.kinds.membership import ends
from setpoint.storage.memory import MemoryStore

GRAPHS = int(os.environ.get("SETPOINT_GRAPHS", "15"))
QUESTIONS = 50
NOW = ends("2026-11-16")
DAYS = ("", "", "2026-11-15", "2026-11-16", "2026-11-17")
MOMENTS = (0.0, 0.0, NOW - 1, NOW, NOW + 1)
ORGANIZATIONS, PARTS = ("a", "b"), ("", "x", "y")
KEYS = (
    *("organization", "organization.membership", "organization.billing", "organization.plan.approve"),
    *("project.dns_zone", "project.workspace.host", "project.workspace.key", "agent.report"),
)
PATTERNS = ("*", *KEYS[:-1], "organization.*", "project.*", "project.workspace.*")
OWN = ("r1", "r2", "gone")
ALWAYS = {("", role.name): role.rules for role in (*SEEDED, ADMINISTRATOR, SELF)}


@dataclass(frozen=True)
class Graph:
    """What is stored, and the same in the words of the reference."""

    rows: tuple[object, ...]
    token: Token
    somebody: Somebody
    roles: Lines
    asked: tuple[Question, ...]


@some.composite
def rules(draw: some.DrawFn) -> Rule:
    project = draw(some.sampled_from(PARTS))
    return Rule(
        keys=tuple(draw(some.lists(some.sampled_from(PATTERNS), min_size=1, max_size=2))),
        verbs=tuple(draw(some.lists(some.sampled_from(VERBS), min_size=1, max_size=3, unique=True))),
        effect=draw(some.sampled_from(("allow", "allow", "forbid"))),
        project=project,
        workspace=draw(some.sampled_from(PARTS)) if project else "",
        names=draw(some.sampled_from(((), (), ("one",)))),
        until=draw(some.sampled_from(MOMENTS)),
    )


@some.composite
def places(draw: some.DrawFn) -> tuple[str, str]:
    project = draw(some.sampled_from(PARTS))
    return project, draw(some.sampled_from(PARTS)) if project else ""


NAMES = some.sampled_from((*OWN, *(role.name for role in SEEDED)))


@some.composite
def questions(draw: some.DrawFn) -> Question:
    permission = Permission(draw(some.sampled_from(VERBS)), draw(some.sampled_from(KEYS)))
    organization = draw(some.sampled_from(("", *ORGANIZATIONS)))
    scope = Scope(organization, *draw(places())) if organization else Scope()
    return Question(permission, scope, draw(some.sampled_from(("", "one", "two"))))


def declared(kind: str, organization: str, name: str, spec: object) -> Declared:
    ref = Ref(f"{kind}/{organization}-{name}")
    return Declared(ref=ref, kind=kind, scope=Scope(organization), name=name, spec=to_builtins(spec))


@some.composite
def graphs(draw: some.DrawFn) -> Graph:
    roles = {
        (organization, name): tuple(draw(some.lists(rules(), max_size=3)))
        for organization in ORGANIZATIONS
        for name in OWN[:-1]
    }
    rows: list[object] = [
        declared("role", *place, {"rules": to_builtins(lines)}) for place, lines in roles.items()
    ]
    closed = tuple(draw(some.sets(some.sampled_from(ORGANIZATIONS), max_size=1)))
    rows += [Standing(organization=each, state="deleted") for each in closed]
    asked = tuple(draw(some.lists(questions(), min_size=QUESTIONS, max_size=QUESTIONS)))
    every = {**ALWAYS, **roles}
    if draw(some.booleans()):
        one = Given(draw(some.sampled_from(ORGANIZATIONS)), draw(NAMES), *draw(places()))
        scope = Scope(one.organization, one.project, one.workspace)
        program = Token(hash="h", subject="ci", role=one.role, scope=scope, may_approve=True)
        return Graph(tuple(rows), program, Somebody((one,), closed=closed), every, asked)
    return _person(draw, rows, closed, (every, asked))


def _person(
    draw: some.DrawFn, rows: list[object], closed: tuple[str, ...], rest: tuple[Lines, tuple[Question, ...]]
) -> Graph:
    email, counted = "ann@example.org", []
    account = Account(
        id="u",
        email=email,
        administrator=draw(some.integers(0, 9)) == 0,
        disabled=draw(some.integers(0, 9)) == 0,
    )
    for number, organization in enumerate(draw(some.lists(some.sampled_from(ORGANIZATIONS), max_size=3))):
        lines = []
        counts = draw(some.sampled_from(("yes", "yes", "yes", "no", "moved", "leaving", "another's")))
        for _ in range(draw(some.integers(0, 3))):
            project, workspace = draw(places())
            role, day = draw(NAMES), draw(some.sampled_from(DAYS))
            lines.append({"role": role, "project": project, "workspace": workspace, "until": day})
            if counts == "yes":
                counted.append(Given(organization, role, project, workspace, ends(day)))
        mail = "eve@example.org" if counts == "moved" else "Ann@Example.org"
        row = declared("membership", organization, f"m{number}", {"email": mail, "roles": lines})
        rows.append(_leaving(row) if counts == "leaving" else row)
        if counts != "no":
            by = "v" if counts == "another's" else "u"
            rows.append(Acceptance(ref=row.ref, account=by, email=email, at=1.0))
    own = None
    token = Token(hash="h", subject=email, role="", sort="session", account="u")
    if draw(some.booleans()):
        own = Given(draw(some.sampled_from(ORGANIZATIONS)), draw(NAMES), *draw(places()))
        own = draw(some.sampled_from((own, Given("", "self"))))
        scope = Scope(own.organization, own.project, own.workspace)
        token = Token(
            hash="h",
            subject="laptop",
            role=own.role,
            scope=scope,
            sort="personal",
            account="u",
            may_approve=True,
        )
    who = Somebody(tuple(counted), own, account.administrator, account.disabled, closed)
    return Graph((*rows, account), token, who, *rest)


def _leaving(row: Declared) -> Declared:
    return Declared(**{**{f: getattr(row, f) for f in row.__struct_fields__}, "deleting": "asked"})


async def subject(graph: Graph) -> Subject:
    store = MemoryStore()
    await store.commit(Change(writes=tuple(Put(row) for row in graph.rows)))
    return await subject_for(store, graph.token)


@pytest.mark.timeout(1800)
@settings(max_examples=GRAPHS, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_what_is_stored_is_decided_as_the_reference_decides_it(graph: Graph) -> None:
    found = asyncio.run(subject(graph))
    for asked in graph.asked:
        expected = may(graph.somebody, graph.roles, asked, NOW)
        assert found.decide(asked, NOW).allowed == expected, (asked, graph.somebody, graph.token)
        if expected:
            for scope in asked.scope.outwards():
                assert found.may_somewhere(asked.permission, scope, NOW), (asked, scope)
