"""A zone of ten thousand records, held: no route answers with all of it, and all of it can be read."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from engine.situations import case
from harness import ORGANIZATION, PROJECT
from setpoint.engine.entity import Declared, Ref, Scope, State, Status
from setpoint.engine.ledger import Ledger
from setpoint.engine.plan import Action, Verb
from setpoint.engine.request import past_of
from setpoint.engine.rows import Act, ActState, HoldRow, PlanRow, PlanState
from setpoint.engine.store import Change, Put
from setpoint.system import now

from .kit import Api, settled, still
from .recordings import keep, recorded
from .test_matrix import asked_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

LARGEST = 200_000
MANY = 10_000
OPEN = 2_000
BATCH = 2_500
NAMES = {"plans": "large", "passes": "p0001", "operations": "asked"}
ZONE = f"{PROJECT}/dns_zones/example-org"


def value(number: int) -> dict[str, Any]:
    return {"values": [f"192.0.{number // 250 % 250}.{number % 250}"], "ttl": 300, "note": "x" * 100}


def deletes() -> tuple[Action, ...]:
    return tuple(
        Action(verb=Verb.DELETE, item=f"host-{number:05}/A", before=value(number)) for number in range(MANY)
    )


def plan(identity: str, zone: Declared, **more: Any) -> PlanRow:
    actions = deletes()
    items = tuple(action.item for action in actions)
    message = f"{MANY} deletes at once, allowed 1000"
    row = PlanRow(
        id=identity,
        ref=zone.ref,
        kind="dns_zone",
        scope=zone.scope,
        name=zone.name,
        state=PlanState.HELD,
        digest="d" * 32,
        actions=actions,
        holds=(HoldRow(guard="delete_budget", message=message, withholds="deletes", items=items),),
        desired=0,
        actual=MANY,
    )
    return type(row)(**{**{name: getattr(row, name) for name in row.__struct_fields__}, **more})


async def fill(api: Api) -> None:
    ref = (await api.good("GET", ZONE))["metadata"]["ref"]
    zone = await api.store.get(Declared, ref)
    assert zone is not None
    at = now()
    for begin in range(0, MANY, BATCH):
        rows = [record(zone, number) for number in range(begin, begin + BATCH)]
        said = [Status(ref=row.ref, state=State.HELD, reason="its zone is held", since=at) for row in rows]
        await api.store.commit(Change(writes=tuple(map(Put, [*rows, *said]))))
    known = tuple(action.item for action in deletes())
    held = Status(ref=zone.ref, state=State.HELD, reason="held", since=at, observed_at=at, plan="large")
    asked = plan("asked", zone, kind="plan", state=PlanState.SHOWN, scope=Scope("acme"))
    acts = [open_act(zone, number, at) for number in range(OPEN)]
    memory = Ledger(ref=zone.ref, known=known, planned=MANY)
    judged = recorded(1, case(deletes(), desired=0, actual=MANY, accepted=MANY), ref=zone.ref)
    pasts = [past_of(generation(zone, number), "update") for number in range(2, 51)]
    await keep(api, held, memory, plan("large", zone), asked, judged, *acts, *pasts)


def record(zone: Declared, number: int) -> Declared:
    return Declared(
        ref=Ref(f"dns_record/{number:026}"),
        kind="dns_record",
        scope=zone.scope,
        name=f"host-{number:05}",
        spec={"zone": "example-org", "name": f"host-{number:05}", "type": "A", "values": ["192.0.2.1"]},
        parent=zone.ref,
        refs=(zone.ref,),
    )


def generation(zone: Declared, number: int) -> Declared:
    """A spec of twenty kilobytes: the kind may have long lists in it."""
    known = {name: getattr(zone, name) for name in zone.__struct_fields__}
    return Declared(**{**known, "generation": number, "spec": {"notes": f"{number}" + "x" * 20_000}})


def open_act(zone: Declared, number: int, at: float) -> Act:
    return Act(
        id=f"act-{number:05}",
        domain=zone.ref,
        organization="acme",
        verb=Verb.DELETE,
        item=f"host-{number:05}/A",
        before=value(number),
        state=ActState.UNKNOWN,
        began_at=at,
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def api(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    async with still(tmp_path_factory.mktemp("large")) as found:
        assert (await found.declare(*settled())).status == 200
        await fill(found)
        yield found


async def everything(api: Api, path: str) -> list[Any]:
    found, token = [], ""
    while True:
        page = await api.get(f"{path}{'&' if '?' in path else '?'}page_size=500&page_token={token}")
        assert page.status == 200, page.raw
        assert len(page.raw) < LARGEST, path
        found += page.body["items"]
        token = page.body["next_page_token"]
        if not token:
            return found


async def test_no_route_answers_with_more_than_one_can_take_in(api: Api) -> None:
    ref = (await api.good("GET", ZONE))["metadata"]["ref"]
    sizes = {}
    for asked in asked_of():
        found = re.search(r"/(\w+)/nobody", asked.path)
        known = NAMES.get(found.group(1), "nobody") if found else "nobody"
        path = asked.path.replace("/nobody", f"/{known}")
        if asked.method == "GET":
            answer = await api.get(f"{path}?ref={ref}&timeout=0" if ":" in path else path)
            sizes[path] = len(answer.raw)
    assert {path: size for path, size in sizes.items() if size > LARGEST} == {}
    assert sizes[f"{ZONE}:why"] > 1_000
    assert sizes[f"{ORGANIZATION}/plans/large"] > 1_000


async def test_why_tells_a_held_plan_by_its_cause_and_where_the_rest_is(api: Api) -> None:
    told = await api.get(f"{ZONE}:why")
    found = told.body["evidence"]["plan"]
    assert [(group["cause"], group["count"], group["asked"]) for group in found["groups"]] == [
        ("no longer declared", MANY, MANY)
    ]
    assert found["changes"] == {"delete": MANY}
    assert 0 < len(found["actions"]) <= 100
    assert found["holds"][0]["item_count"] == MANY
    assert len(found["holds"][0]["items"]) <= 20
    assert found["rest"] == f"{ORGANIZATION}/plans/large:changes"
    assert f"and {OPEN - 5} more open acts" in told.body["chain"]


@pytest.mark.parametrize("path", ["plans/large:changes", "passes/p0001:changes"])
async def test_every_change_can_be_read(api: Api, path: str) -> None:
    found = await everything(api, f"{ORGANIZATION}/{path}")
    assert [each["item"] for each in found] == [action.item for action in deletes()]


async def test_everything_that_an_object_has_can_be_read(api: Api) -> None:
    ref = (await api.good("GET", ZONE))["metadata"]["ref"]
    found = await everything(api, f"{ORGANIZATION}/inventory:related?ref={ref}")
    names = [each["object"]["metadata"]["name"] for each in found if each["relation"] == "has"]
    assert names == [f"host-{number:05}" for number in range(MANY)]
    assert found[0]["relation"] == "uses"
    bad = await api.get(f"{ORGANIZATION}/inventory:related?ref={ref}&page_token=x")
    assert (bad.status, bad.body["code"]) == (400, "bad_query")


async def test_every_generation_can_be_read_however_large_each_is(api: Api) -> None:
    found = await everything(api, f"{ZONE}/history")
    assert [each["generation"] for each in found] == list(range(50, 0, -1))


async def test_a_plan_of_ten_thousand_is_approved_in_brief(api: Api) -> None:
    body = {"digest": "d" * 32, "reason": "all of them"}
    said = await api.call("POST", f"{ORGANIZATION}/plans/large:approve", body)
    assert (said.status, said.body["agreed_count"]) == (200, MANY), said.raw[:500]
    assert len(said.raw) < LARGEST
    for path in ("plans/large", "plans/large:progress", "plans/large:review", "audit", "events"):
        assert len((await api.get(f"{ORGANIZATION}/{path}")).raw) < LARGEST, path
    changes = await everything(api, f"{ORGANIZATION}/plans/large:changes")
    assert sum(each["agreed"] for each in changes) == MANY
