"""A person's word about one item: what is contested or slow is tried anew, what is protected stays."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from declarations import records, zone
from engine.situations import ALONE, case, creates, failing
from harness import ORGANIZATION, PROJECT, World, world
from setpoint.engine.entity import Ref
from setpoint.engine.ledger import Ledger, Protection, Released
from setpoint.engine.store import PROTECTIONS_OF, RELEASED_OF

from .kit import Api, thing
from .recordings import keep, recorded

ZONE = f"{PROJECT}/dns_zones/example-org"
RECORD = f"{PROJECT}/dns_records/www"
WHY = {"reason": "they stopped"}


@pytest.fixture
async def ref(api: Api) -> Ref:
    """A zone with one record, of which two items are in the slow lane and one is contested."""
    spec = {"zone": "example-org", "name": "www", "type": "A", "values": ["192.0.2.1"]}
    await api.declare(thing("dns_record", "www", spec, project="shop"))
    ref = Ref((await api.get(ZONE)).body["metadata"]["ref"])
    fails = {f"new-{n:05d}": failing(n) for n in range(2)}
    slow, fought = case(creates(2), failing=fails), ALONE["contested"]
    both = case(slow.plan.actions + fought.plan.actions, failing=fails, recent=fought.recent)
    await keep(api, recorded(1, both, ref=ref), Ledger(ref=ref, planned=3, failing=fails))
    return ref


async def released(api: Api, ref: Ref) -> dict[str, Released]:
    return {row.item: row for row in await api.store.read(RELEASED_OF, domain=ref)}


async def test_without_an_item_all_that_is_stuck_is_released_in_one_commit(api: Api, ref: Ref) -> None:
    answer = await api.good("POST", f"{ZONE}:release", WHY)
    said = {each["item"]: each["why"] for each in answer.pop("about")}
    assert list(said) == ["new-00000", "new-00001", "old-00001"]
    assert said["old-00001"] == "contested: all of it"
    assert said["new-00000"] == "failed 8 times: no"
    assert answer == {
        "kind": "dns_zone",
        "name": "example-org",
        "ref": ref,
        "decided": "released",
        "by": "administrator",
        "reason": "they stopped",
    }
    rows = await released(api, ref)
    assert {(row.by, row.reason) for row in rows.values()} == {("administrator", "they stopped")}
    lines = (await api.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    audited = [line["detail"]["item"] for line in lines if line["action"] == "item.released"]
    assert audited == list(rows) == list(said)


async def test_one_item_is_released_alone_also_by_way_of_a_part(api: Api, ref: Ref) -> None:
    for path, item in ((ZONE, "old-00001"), (RECORD, "new-00001")):
        answer = await api.good("POST", f"{path}:release", {**WHY, "item": item})
        assert (answer["kind"], [each["item"] for each in answer["about"]]) == ("dns_zone", [item])
    assert sorted(await released(api, ref)) == ["new-00001", "old-00001"]


async def test_where_nothing_is_stuck_there_is_nothing_to_release(api: Api, ref: Ref) -> None:
    other = await api.call("POST", f"{ZONE}:release", {**WHY, "item": "www/A"})
    assert (other.status, other.body["code"]) == (409, "nothing_to_release")
    assert other.body["detail"] == "www/A of dns_zone example-org is neither contested nor failing"
    assert other.body["hint"] == "to release: new-00000, new-00001, old-00001"
    await keep(api, Ledger(ref=ref, planned=0))
    over = await api.call("POST", f"{ZONE}:release", WHY)
    assert (over.status, over.body["retryable"]) == (409, False)
    assert over.body["detail"] == "nothing of dns_zone example-org is contested or failing"
    channel = await api.call("POST", f"{ORGANIZATION}/notification_channels/hooks:release", WHY)
    assert (channel.status, channel.body["code"]) == (409, "nothing_to_release")
    assert await released(api, ref) == {}


@pytest.mark.parametrize(
    ("path", "body", "wrong"),
    [
        (f"{ZONE}:release", {}, {("/reason", "missing")}),
        (f"{ZONE}:release", [], {("/reason", "missing")}),
        (f"{ZONE}:release", {"reason": " ", "item": 7}, {("/reason", "missing"), ("/item", "bad_type")}),
        (f"{ZONE}:release", {**WHY, "itme": ""}, {("/itme", "unknown_field")}),
        (f"{ZONE}:release", {**WHY, "protection": 1}, {("/protection", "bad_type")}),
        (f"{RECORD}:release", {}, {("/reason", "missing"), ("/item", "missing")}),
        (f"{ZONE}:protect", {}, {("/reason", "missing")}),
        (f"{ZONE}:protect", {**WHY, "protection": True}, {("/protection", "unknown_field")}),
    ],
)
async def test_every_mistake_is_told_at_once(api: Api, ref: Ref, path: str, body: Any, wrong: Any) -> None:
    refused = await api.call("POST", path, body)
    assert (refused.status, refused.body["code"]) == (422, "bad_release")
    assert refused.mistakes == wrong
    assert await released(api, ref) == {}


async def test_what_is_not_declared_cannot_be_spoken_about(api: Api) -> None:
    for verb in ("release", "protect"):
        missing = await api.call("POST", f"{PROJECT}/dns_zones/none:{verb}", {**WHY, "item": "a"})
        assert (missing.status, missing.body["code"]) == (404, "not_found")


async def test_protection_is_set_and_taken_off_by_name_only(api: Api, ref: Ref) -> None:
    made = await api.good("POST", f"{ZONE}:protect", {"item": "www/A", "reason": "the shop"})
    assert (made["decided"], made["about"]) == (
        "protected",
        [{"item": "www/A", "why": "it has not been seen yet"}],
    )
    (row,) = await api.store.read(PROTECTIONS_OF, domain=ref)
    assert row == Protection(
        key=row.key, domain=ref, item="www/A", by="administrator", reason="the shop", since=row.since
    )
    told = await api.good("GET", f"{ZONE}:why?item=www/A")
    assert told["sentence"] == "www/A is protected by administrator: the shop"
    assert told["next"] == ["setpoint release dns_zone example-org www/A --protection"]
    kept = await api.call("POST", f"{ZONE}:release", {**WHY, "item": "www/A"})
    assert (kept.status, kept.body["hint"]) == (409, told["next"][0])
    gone = await api.good("POST", f"{ZONE}:release", {**WHY, "item": "www/A", "protection": True})
    assert gone["decided"] == "unprotected"
    assert await api.store.read(PROTECTIONS_OF, domain=ref) == []
    again = await api.call("POST", f"{ZONE}:release", {**WHY, "item": "www/A", "protection": True})
    assert (again.status, again.body["code"]) == (409, "not_protected")


@pytest.fixture
async def four(tmp_path: Path) -> AsyncIterator[World]:
    """A zone with four records, in step."""
    async with world(tmp_path, limits={"contested_times": 2.0}, settle_seconds=0.05) as w:
        await w.plane.declare([*w.setting(), zone(), *records(range(4))])
        await w.all_ready("dns_records", 4)
        await w.all_ready("dns_zones", 1)
        yield w


async def undo(w: World) -> None:
    """The other writer, then a look of ours."""
    theirs = {"ttl": 60, "records": [{"value": "192.0.2.1"}]}
    await asyncio.sleep(0.1)  # What we did must have been seen to be there.
    await w.sim_call("POST", "/_sim/zones/example.org/rrsets/r1/A:change", theirs)
    await w.looked("dns_zone", "example-org")


async def test_what_is_contested_is_written_again_once_it_is_released(four: World) -> None:
    for _ in range(2):
        await undo(four)
    await four.in_state("dns_zones", "example-org", "HELD", "another writer keeps changing ttl of r1/A")
    told = await four.plane.good("GET", f"{ZONE}:why")
    assert (told["situation"], told["next"]) == ("contested", ["setpoint release dns_zone example-org r1/A"])
    item = await four.plane.good("GET", f"{ZONE}:why?item=r1/A")
    assert item["sentence"].startswith("r1/A is to be updated, but another writer keeps changing ttl of r1/A")
    quiet = await four.plane.good("GET", f"{ZONE}:why?item=r2/A")
    assert quiet["sentence"] == "r2/A is as declared"
    numbers = {guard["name"]: guard for guard in told["evidence"]["guards"]}["contested"]
    assert (numbers["limits"]["contested_times"], numbers["said"][:14]) == (2, "another writer")
    four.mark()
    answer = await four.plane.good("POST", f"{ZONE}:release", {"reason": "the other tool is gone"})
    assert answer["about"] == [{"item": "r1/A", "why": "contested: ttl"}]
    await four.all_ready("dns_zones", 1)
    assert [effect.name for effect in four.effects("update")] == ["r1"]
    assert (await four.plane.call("POST", f"{ZONE}:release", WHY)).status == 409
    assert len(await four.plane.events("item.released")) == 1


async def test_a_protected_item_outlives_its_declaration(four: World) -> None:
    await four.plane.good("POST", f"{ZONE}:protect", {"item": "r2/A", "reason": "the shop"})
    await four.plane.good("DELETE", f"{PROJECT}/dns_records/r2")
    await four.in_state("dns_records", "r2", "HELD", "protected")
    four.mark()
    await four.looked("dns_zone", "example-org", 2)
    assert four.effects("delete") == []
    off = {"item": "r2/A", "reason": "moved", "protection": True}
    await four.plane.good("POST", f"{ZONE}:release", off)

    async def gone() -> bool:
        return await four.plane.named("dns_records", "r2") is None

    await four.until(gone, "the record to go")
    assert [effect.name for effect in four.effects("delete")] == ["r2"]
