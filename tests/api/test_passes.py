"""Recorded passes: listed in short, shown whole, and judged again."""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import pytest_asyncio
from msgspec.structs import replace

from declarations import records, zone
from engine.situations import ALONE, case, creates, deletes
from harness import ORGANIZATION, PROJECT, world
from setpoint.engine.entity import Ref
from setpoint.engine.guards import Verdict

from .kit import Api, settled, still, thing
from .recordings import keep, recorded

pytestmark = pytest.mark.asyncio(loop_scope="module")

PASSES = f"{ORGANIZATION}/passes"
NUMBER = 130
"""More than are read from the store at a time, more than once."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def many(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    """Every third is of another organization, every seventh of a host; every tenth is held."""
    quiet, held = case(creates(2)), ALONE["empty_intent"]
    rows = [
        recorded(
            n,
            held if n % 10 == 0 else quiet,
            organization="other" if n % 3 == 0 else "acme",
            **({"ref": Ref("host/1"), "kind": "host", "name": "web-1"} if n % 7 == 0 else {}),
        )
        for n in range(NUMBER)
    ]
    async with still(tmp_path_factory.mktemp("passes")) as api:
        assert (await api.declare(*settled())).status == 200
        await keep(api, *rows)
        yield api


def numbers(query: dict[str, str]) -> list[int]:
    found = [n for n in range(NUMBER - 1, -1, -1) if n % 3]
    if query.get("kind") == "host" or query.get("name") == "web-1" or query.get("ref") == "host/1":
        found = [n for n in found if n % 7 == 0]
    return [n for n in found if n % 10 == 0] if "guard" in query else found


async def pages(api: Api, size: int, query: dict[str, str]) -> list[list[str]]:
    found, after = [], ""
    while True:
        asked = urlencode({"page_size": size, "page_token": after, **query})
        page = (await api.get(f"{PASSES}?{asked}")).body
        found.append([item["id"] for item in page["items"]])
        after = page["next_page_token"]
        if not after:
            return found


@pytest.mark.parametrize("size", [1, 7, 49, 50, 500])
@pytest.mark.parametrize(
    "query",
    [{}, {"kind": "host"}, {"name": "web-1"}, {"ref": "host/1"}, {"guard": "empty_intent", "kind": "host"}],
    ids=str,
)
async def test_pages_joined_are_all_of_the_organizations_newest_first(
    many: Api, size: int, query: dict[str, str]
) -> None:
    found = await pages(many, size, query)
    assert list(itertools.chain(*found)) == [f"p{n:04}" for n in numbers(query)]
    assert [len(page) for page in found[:-1]] == [size] * (len(found) - 1)
    assert len(found) == 1 or found[-1]


async def test_in_short_a_pass_is_counts_and_what_held_it(many: Api) -> None:
    (item,) = (await many.get(f"{PASSES}?guard=empty_intent&page_size=1")).body["items"]
    assert item == {
        "id": "p0110",
        "at": "1970-01-12T13:48:30.000+00:00",
        "ref": "dns_zone/1",
        "kind": "dns_zone",
        "name": "example-org",
        "digest": item["digest"],
        "changes": {"delete": 1},
        "desired": 0,
        "actual": 20,
        "allowed": 0,
        "later": 0,
        "holds": [
            {
                "guard": "empty_intent",
                "withholds": "plan",
                "message": "nothing is declared while 20 exist; that would delete all 20",
            }
        ],
        "approval": "",
    }


async def test_a_pass_is_shown_to_its_own_organization_only(many: Api) -> None:
    whole = await many.good("GET", f"{PASSES}/p0110")
    changes = await many.good("GET", f"{PASSES}/p0110:changes")
    assert changes["items"][0]["item"] == "x-00000"
    assert whole["case"]["limits"]["deletes_share"] == 0.1
    assert whole["verdict"]["holds"][0]["guard"] == "empty_intent"
    for path in (f"{PASSES}/p0000", f"{PASSES}/none", "/v1/organizations/other/passes/p0110"):
        for verb in ("", ":replay"):
            missing = await many.get(path + verb)
            assert (missing.status, missing.body["code"]) == (404, "not_found")
    assert (await many.get("/v1/organizations/nobody/passes")).body["items"] == []


async def test_a_bad_query_is_told_of_every_mistake(many: Api) -> None:
    refused = await many.get(f"{PASSES}?page_size=0&kind=dns_zoen&guard=anybody")
    assert (refused.status, refused.body["code"]) == (400, "bad_query")
    size, kind, guard = refused.body["detail"].split("; ", 2)
    assert size == "page_size must be a number from 1 to 500, not '0'"
    assert kind == "there is no kind 'dns_zoen'"
    assert guard.startswith("did you mean dns_zone?; there is no guard 'anybody'; known are observe_only, ")


@pytest.mark.parametrize("guard", ALONE)
async def test_what_each_guard_decides_is_decided_again(many: Api, guard: str) -> None:
    await keep(many, recorded(0, ALONE[guard], id=f"alone-{guard}", organization="apart"))
    again = await many.good("GET", f"/v1/organizations/apart/passes/alone-{guard}:replay")
    assert again["same"] is True
    assert again["then"] == again["now"]
    assert [hold["guard"] for hold in again["then"]["holds"]] == [guard]
    assert (again["kind"], again["name"]) == ("dns_zone", "example-org")


async def test_a_decision_that_would_be_another_today_is_shown_with_both(many: Api) -> None:
    held = case(deletes(11), desired=89, accepted=100, weight=1_000)
    row = recorded(0, held, id="differs", organization="apart", verdict=Verdict(allowed=held.plan.actions))
    await keep(many, row)
    again = await many.good("GET", "/v1/organizations/apart/passes/differs:replay")
    assert again["same"] is False
    assert (again["then"]["allowed"], again["then"]["holds"]) == ({"delete": 11}, [])
    assert [hold["guard"] for hold in again["now"]["holds"]] == ["delete_budget"]


@pytest.mark.asyncio(loop_scope="function")
async def test_the_passes_of_a_part_are_those_of_what_judges_it(api: Api) -> None:
    spec = {"zone": "example-org", "name": "www", "type": "A", "values": ["192.0.2.1"]}
    (made,) = (await api.declare(thing("dns_record", "www", spec, project="shop"))).body["items"]
    (parent,) = (await api.get(f"{PROJECT}/dns_zones")).body["items"]
    await keep(api, replace(recorded(0, case(creates(1)), id="of-the-zone"), ref=parent["metadata"]["ref"]))
    found = await api.good("GET", f"{PASSES}?ref={made['metadata']['ref']}")
    assert [item["id"] for item in found["items"]] == ["of-the-zone"]


@pytest.mark.asyncio(loop_scope="function")
async def test_what_the_engine_records_is_decided_the_same_again(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), zone(), *records(range(12))], "records.yaml")
        await w.all_ready("dns_records", 12)
        await w.plane.declare([*w.setting(), zone()], "records.yaml", prune=True)
        await w.in_state("dns_zones", "example-org", "HELD")
        held = await w.plane.held_plan()
        await w.plane.decide(held, "approve")

        async def gone() -> bool:
            return await w.plane.every("dns_records") == []

        await w.until(gone, "the records to go")
        found: list[Any] = await w.plane.every("passes")
        replays = [await w.plane.good("GET", f"{PASSES}/{item['id']}:replay") for item in found]
        assert [replay["same"] for replay in replays] == [True] * len(found)
        assert {hold["guard"] for item in found for hold in item["holds"]} >= {"empty_intent"}
        assert any(item["approval"] for item in found)
        assert sum(item["changes"].get("create", 0) for item in found if item["allowed"]) >= 12


async def test_a_pass_is_judged_again_with_one_thing_changed(many: Api) -> None:
    path = f"{PASSES}/p0110:replay"
    told = {guard["name"]: guard for guard in (await many.good("GET", path))["guards"]}
    assert (told["empty_intent"]["held"], told["delete_budget"]["held"]) == (True, False)
    assert (told["delete_budget"]["used"], told["delete_budget"]["allowed"]) == (1, 3)
    assert told["delete_budget"]["limits"][0] == {
        "name": "deletes_share",
        "value": 0.1,
        "from": "the default",
    }
    stopped = await many.good("POST", path, {"mode": "stop"})
    assert [hold["guard"] for hold in stopped["now"]["holds"]] == ["observe_only", "empty_intent"]
    assert not stopped["same"]
    spared = await many.good("POST", path, {"without": ["x-00000"], "limits": {"deletes_ceiling": 1}})
    assert (spared["now"]["holds"], spared["now"]["allowed"]) == ([], {})
    assert (await many.good("GET", path))["same"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ({"mode": "fly"}, "/mode"),
        ({"without": "x"}, "/without"),
        ({"limits": []}, "/limits"),
        ({"limits": {"deletes_share": 2}}, "/limits/deletes_share"),
        ({"more": 1}, "/more"),
    ],
    ids=str,
)
async def test_what_cannot_be_changed_about_a_pass_is_said(many: Api, body: Any, pointer: str) -> None:
    refused = await many.call("POST", f"{PASSES}/p0110:replay", body)
    assert (refused.status, refused.body["code"]) == (422, "bad_rehearsal")
    assert [error["pointer"] for error in refused.body["errors"]] == [pointer]
