"""Zones: by id and by name, by the vendor's SDK and by hand."""

from collections.abc import Awaitable, Callable
from typing import Any

from hcloud import Client
from hcloud.zones import ZoneRecord

from .conftest import World

Sdk = Callable[[Callable[[Client], Any]], Awaitable[Any]]


async def test_the_sdk_sees_a_zone_through_its_life(world: World, sdk: Sdk) -> None:
    def live(client: Client) -> list[Any]:
        made = client.zones.create(name="example.com", mode="primary", labels={"a": "b"})
        made.action.wait_until_finished()
        zone = client.zones.get("example.com")
        zone.update(labels={"a": "c"})
        zone.change_ttl(7200).wait_until_finished()
        changed = client.zones.get_all(label_selector="a=c")[0]
        zone.delete().action.wait_until_finished()
        return [zone.status, zone.record_count, changed.ttl, client.zones.get_all()]

    assert await sdk(live) == ["ok", 4, 7200, []]


async def test_the_sdk_sees_records_through_their_life(world: World, sdk: Sdk) -> None:
    def live(client: Client) -> list[Any]:
        zone = client.zones.create(name="example.com", mode="primary").zone
        first, second = ZoneRecord(value="192.0.2.1", comment="first"), ZoneRecord(value="192.0.2.2")
        zone.create_rrset(name="www", type="A", ttl=300, labels={"k": "v"}, records=[first])
        rrset = zone.get_rrset("www", "A")
        rrset.add_rrset_records([second]).wait_until_finished()
        rrset.change_rrset_ttl(600)
        rrset.update_rrset(labels={"k": "w"})
        read = zone.get_rrset_all(label_selector="k=w")[0]
        rrset.remove_rrset_records([first])
        rrset.set_rrset_records([ZoneRecord(value="192.0.2.9")])
        replaced = zone.get_rrset("www", "A").records
        rrset.delete_rrset().action.wait_until_finished()
        left = [each.id for each in zone.get_rrset_all()]
        return [read.ttl, read.records[0].comment, [one.value for one in (*read.records, *replaced)], left]

    ttl, comment, values, left = await sdk(live)
    assert (ttl, comment) == (600, "first")
    assert values == ["192.0.2.1", "192.0.2.2", "192.0.2.9"]
    assert left == ["@/SOA", "@/NS"]


async def test_a_zone_is_had_by_id_and_by_name(world: World) -> None:
    made = await world.post("/zones", name="example.com", mode="primary")
    zone = made.body["zone"]["id"]
    assert (await world.get(f"/zones/{zone}")).body["zone"]["name"] == "example.com"
    assert (await world.get("/zones/example.com")).body["zone"]["id"] == zone
    assert (await world.get("/zones/example.org")).code == "not_found"
    assert (await world.get("/zones", name="example.com", mode="primary")).names("zones") == ["example.com"]
    assert (await world.get("/zones", mode="secondary")).names("zones") == []


async def test_a_zone_may_be_born_with_records(world: World) -> None:
    rrset = {"name": "@", "type": "MX", "records": [{"value": "10 mail.example.com."}]}
    await world.new_zone(rrsets=[rrset])
    shown = (await world.get("/zones/example.com/rrsets/@/MX")).body["rrset"]
    assert shown["records"] == [{"value": "10 mail.example.com."}]
    assert [effect.resource for effect in world.sim.effects] == ["zone", "rrset"]


async def test_every_mistake_in_a_new_zone_is_told(world: World) -> None:
    reply = await world.post("/zones", name="not a name", mode="tertiary", ttl=1)
    assert (reply.status, reply.bad_fields) == (400, {"name", "mode", "ttl"})
    bad = {"name": "www", "type": "A", "records": [{"value": "nonsense"}]}
    inner = await world.post("/zones", name="example.com", mode="primary", rrsets=[bad])
    assert inner.bad_fields == {"rrsets.0.records.0.value"}
    assert (await world.post("/zones", name="example.com", mode="primary", zonefile="")).status == 422


async def test_a_zone_name_is_had_once(world: World) -> None:
    await world.new_zone()
    again = await world.post("/zones", name="example.com", mode="primary")
    assert (again.status, again.code) == (409, "uniqueness_error")


async def test_a_protected_zone_is_not_deleted(world: World) -> None:
    zone = await world.new_zone()
    await world.post(f"/zones/{zone}/actions/change_protection", delete=True)
    refused = await world.delete(f"/zones/{zone}")
    assert (refused.status, refused.code) == (423, "protected")


async def test_the_ttl_and_the_labels_of_a_zone_change(world: World) -> None:
    zone = await world.new_zone()
    await world.post(f"/zones/{zone}/actions/change_ttl", ttl=7200)
    changed = (await world.put(f"/zones/{zone}", labels={"team": "dns"})).body["zone"]
    assert (changed["ttl"], changed["labels"]) == (7200, {"team": "dns"})


async def test_a_secondary_zone_takes_nameservers_and_no_records(world: World) -> None:
    await world.new_zone("example.com", mode="secondary", primary_nameservers=[{"address": "192.0.2.53"}])
    await world.new_zone("example.org")
    change = {"primary_nameservers": [{"address": "192.0.2.54", "port": 5353}]}
    path = "actions/change_primary_nameservers"
    assert (await world.post(f"/zones/example.com/{path}", **change)).status == 201
    assert (await world.post(f"/zones/example.org/{path}", **change)).code == "incorrect_zone_mode"
    record = {"name": "www", "type": "A", "records": [{"value": "192.0.2.1"}]}
    assert (await world.post("/zones/example.com/rrsets", **record)).code == "incorrect_zone_mode"
