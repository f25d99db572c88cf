"""A plan of a thousand changes: one row for a cause, its members in pages, and no large answer."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from engine.situations import case
from harness import ORGANIZATION
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import HoldRow, PlanRow, PlanState

from .kit import Api, settled, still
from .recordings import keep, recorded

pytestmark = pytest.mark.asyncio(loop_scope="module")

LARGEST = 200_000
MANY = 1_000
PLANS, PASSES = f"{ORGANIZATION}/plans", f"{ORGANIZATION}/passes"


def update(number: int, **more: Any) -> Action:
    before = {"size": "cx22", "name": f"web-{number}", "password": f"old-{number}", "notes": "x" * 100}
    after = before | {"size": "cx42", "password": "new"}
    return Action(verb=Verb.UPDATE, item=f"web-{number:04}", before=before, after=after, **more)


def delete(number: int) -> Action:
    return Action(verb=Verb.DELETE, item=f"old-{number}", before={"size": "cx22"})


ACTIONS = (*(update(number) for number in range(MANY)), delete(1), delete(2))


def plan(identity: str, *actions: Action) -> PlanRow:
    items = tuple(action.item for action in actions)
    return PlanRow(
        id=identity,
        ref=Ref("dns_zone/1"),
        kind="dns_zone",
        scope=Scope("acme", "shop"),
        name="example-org",
        state=PlanState.HELD,
        digest="d" * 32,
        actions=actions,
        holds=(HoldRow(guard="delete_budget", message="too many", withholds="plan", items=items),),
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def api(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    async with still(tmp_path_factory.mktemp("changes")) as found:
        assert (await found.declare(*settled())).status == 200
        judged = case(ACTIONS, desired=MANY, actual=MANY)
        newer = (*(update(number) for number in range(1, MANY)), update(MANY), delete(1), delete(2))
        changed = Action(verb=Verb.UPDATE, item="web-0001", before={"size": "cx22"}, after={"size": "cx52"})
        moved = tuple(changed if action.item == changed.item else action for action in newer)
        await keep(found, plan("many", *ACTIONS), plan("newer", *moved), recorded(1, judged))
        yield found


async def members(api: Api, path: str, **query: Any) -> list[Any]:
    found, token = [], ""
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    while True:
        page = await api.get(f"{path}?{asked}&page_size=100&page_token={token}")
        assert page.status == 200, page.raw
        assert len(page.raw) < LARGEST
        found += page.body["items"]
        token = page.body["next_page_token"]
        if not token:
            return found


async def test_a_thousand_equal_changes_are_one_row(api: Api) -> None:
    found = await api.get(f"{PLANS}/many?view=groups")
    assert len(found.raw) < 10_000
    assert [(group["verb"], group["count"], group["asked"]) for group in found.body["groups"]] == [
        ("delete", 2, 2),
        ("update", MANY, MANY),
    ]
    assert found.body["groups"][0]["cause"] == "no longer declared"
    assert found.body["groups"][0]["named"] == ["old-1", "old-2"]
    assert (found.body["changes"], found.body["asked_count"]) == ({"update": MANY, "delete": 2}, MANY + 2)
    assert not {"actions", "asked", "agreed"} & found.body.keys()


async def test_a_secret_is_in_no_cause(api: Api) -> None:
    found = await api.get(f"{PLANS}/many?view=groups")
    assert found.body["groups"][1]["cause"] == "password (secret) → (secret), size cx22 → cx42"


async def test_members_of_a_row_come_in_pages(api: Api) -> None:
    groups = (await api.get(f"{PLANS}/many?view=groups")).body["groups"]
    found = await members(api, f"{PLANS}/many:changes", group=groups[1]["key"])
    assert [each["item"] for each in found] == [f"web-{number:04}" for number in range(MANY)]
    assert all(each["asked"] for each in found)
    assert found[0]["before"]["size"] == "cx22"
    short = await members(api, f"{PLANS}/many:changes", group=groups[1]["key"], view="short")
    assert short[0] == {"verb": "update", "item": "web-0000", "asked": True, "agreed": False, "outcome": ""}
    assert await members(api, f"{PLANS}/many:changes", group="nothing") == []
    assert len(await members(api, f"{PLANS}/many:changes")) == MANY + 2
    assert (await api.get(f"{PLANS}/many:changes?page_token=x")).status == 400
    assert (await api.get(f"{PLANS}/nobody:changes")).status == 404


async def test_what_a_newer_plan_does_otherwise(api: Api) -> None:
    found = await members(api, f"{PLANS}/newer:changes", than="many")
    assert [(each["how"], each["item"]) for each in found] == [
        ("otherwise", "web-0001"),
        ("new", f"web-{MANY}"),
        ("no longer", "web-0000"),
    ]
    assert (await api.get(f"{PLANS}/newer:changes?than=nobody")).status == 404


async def test_nothing_beside_a_large_plan_is_large(api: Api) -> None:
    for path in (f"{PLANS}/many:review", f"{PLANS}/many:progress", PLANS):
        found = await api.get(path)
        assert (found.status, len(found.raw) < LARGEST) == (200, True), path


async def test_a_decision_is_answered_in_brief_where_that_is_asked_for(api: Api) -> None:
    body = {"digest": "d" * 32, "reason": "not today"}
    found = await api.call("POST", f"{PLANS}/newer:reject?view=groups", body)
    assert (found.status, found.body["state"]) == (200, "rejected")
    assert len(found.raw) < 10_000


async def test_a_recorded_pass_is_told_in_brief(api: Api) -> None:
    found = await api.get(f"{PASSES}/p0001")
    assert len(found.raw) < 20_000
    assert [(group["verb"], group["count"]) for group in found.body["groups"]] == [
        ("delete", 2),
        ("update", MANY),
    ]
    assert found.body["case"]["plan"]["desired"] == MANY
    assert found.body["case"]["limits"]
    assert len(await members(api, f"{PASSES}/p0001:changes", group=found.body["groups"][1]["key"])) == MANY
    replayed = await api.get(f"{PASSES}/p0001:replay")
    assert len(replayed.raw) < 30_000
    assert set(replayed.body["then"]["allowed"]) <= {"update", "delete"}
    assert len(await members(api, f"{PASSES}/p0001:changes")) == MANY + 2


@pytest.mark.parametrize(
    ("actions", "causes"),
    [
        ([update(1), update(2)], ["password (secret) → (secret), size cx22 → cx42"]),
        (
            [
                Action(verb=Verb.UPDATE, item=str(n), before={"ttl": n}, after={"ttl": n + 1})
                for n in range(40)
            ],
            ["ttl"],
        ),
        (
            [
                Action(verb=Verb.UPDATE, item=str(n), before={f"f{n}": 1}, after={f"f{n}": 2})
                for n in range(40)
            ],
            ["differs from what is declared"],
        ),
        (
            [
                Action(verb=Verb.CREATE, item="a", after={"x": 1}),
                Action(verb=Verb.DELETE, item="b", explicit=True),
                Action(verb=Verb.DELETE, item="c", protected=True),
                Action(verb=Verb.REPLACE, item="d", before={"x": "1"}, after={}),
            ],
            ["asked for by name", "protected", "x 1 → nothing", "declared, and not there"],
        ),
    ],
    ids=["equal", "every value differs", "every field differs", "worst first"],
)
async def test_rows_are_as_coarse_as_they_must_be(api: Api, actions: list[Action], causes: list[str]) -> None:
    await keep(api, plan("small", *actions))
    found = (await api.get(f"{PLANS}/small?view=groups")).body["groups"]
    assert [group["cause"] for group in found] == causes
    assert sum(group["count"] for group in found) == len(actions)
