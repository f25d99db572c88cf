"""Record sets: what they may hold, and everything that can be done to them."""

from typing import Any

import pytest

from .conftest import World

A = {"name": "www", "type": "A", "records": [{"value": "192.0.2.1"}]}
PATH = "/zones/example.com/rrsets"


@pytest.fixture
async def zone(world: World) -> World:
    await world.new_zone()
    return world


def values(body: Any) -> list[str]:
    return [record["value"] for record in body["rrset"]["records"]]


async def test_a_name_and_type_is_had_once(zone: World) -> None:
    await zone.post(PATH, **A)
    again = await zone.post(PATH, **A)
    assert (again.status, again.code) == (409, "uniqueness_error")
    assert (await zone.post(PATH, **(A | {"type": "TXT", "records": [{"value": '"hello"'}]}))).status == 201


async def test_an_alias_stands_alone(zone: World) -> None:
    await zone.post(PATH, **A)
    alias = {"name": "www", "type": "CNAME", "records": [{"value": "example.org."}]}
    assert (await zone.post(PATH, **alias)).status == 422
    assert (await zone.post(PATH, **(alias | {"name": "shop"}))).status == 201
    assert (await zone.post(PATH, **(A | {"name": "shop"}))).code == "unprocessable_entity"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("A", "192.0.2.1", "2001:db8::1"),
        ("AAAA", "2001:db8::1", "192.0.2.1"),
        ("TXT", '"v=spf1 -all"', "v=spf1 -all"),
        ("TXT", '"a \\"quote\\"" "\\195\\188"', '"open'),
        ("TXT", f'"{"x" * 255}" "rest"', f'"{"x" * 256}"'),
        ("MX", "10 mail.example.com.", "mail.example.com."),
        ("SRV", "0 5 5060 sip.example.com.", "sip.example.com."),
        ("CNAME", "example.org.", "two words"),
        ("CAA", '0 issue "ca.example"', ""),
    ],
)
async def test_a_record_says_what_its_type_allows(zone: World, kind: str, good: str, bad: str) -> None:
    body = {"name": "x", "type": kind}
    assert (await zone.post(PATH, **body, records=[{"value": bad}])).code == "invalid_input"
    assert (await zone.post(PATH, **body, records=[{"value": good}])).status == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "UPPER", "type": "A", "records": []}, "name"),
        ({"name": "a", "type": "SPF", "records": []}, "type"),
        ({"name": "a", "type": "A"}, "records"),
        ({"name": "a", "type": "A", "records": [], "ttl": 5}, "ttl"),
        ({"name": "a", "type": "A", "records": [{"value": "192.0.2.1"}] * 2}, "records"),
        ({"name": "a", "type": "CNAME", "records": [{"value": "a."}, {"value": "b."}]}, "records"),
    ],
)
async def test_a_bad_record_set_is_refused(zone: World, body: dict[str, Any], field: str) -> None:
    reply = await zone.post(PATH, **body)
    assert (reply.status, reply.bad_fields) == (400, {field})


@pytest.mark.parametrize("name", ["@", "*", "*.dev", "a.b", "_dmarc"])
async def test_names_that_look_odd_are_names(zone: World, name: str) -> None:
    await zone.post(PATH, **(A | {"name": name}))
    assert (await zone.get(f"{PATH}/{name}/A")).body["rrset"]["name"] == name


async def test_adding_to_nothing_makes_the_set_and_removing_the_last_ends_it(zone: World) -> None:
    path = f"{PATH}/new/A"
    await zone.post(f"{path}/actions/add_records", records=[{"value": "192.0.2.1"}], ttl=300)
    await zone.post(f"{path}/actions/add_records", records=[{"value": "192.0.2.2"}])
    shown = (await zone.get(path)).body
    assert (values(shown), shown["rrset"]["ttl"]) == (["192.0.2.1", "192.0.2.2"], 300)
    removal = [{"value": "192.0.2.1"}, {"value": "192.0.2.2"}]
    assert (await zone.post(f"{path}/actions/remove_records", records=removal)).status == 201
    assert (await zone.get(path)).code == "not_found"


async def test_what_is_not_there_cannot_be_removed_nor_added_twice(zone: World) -> None:
    await zone.post(PATH, **A)
    path = f"{PATH}/www/A/actions"
    assert (await zone.post(f"{path}/remove_records", records=[{"value": "192.0.2.9"}])).code == "not_found"
    assert (await zone.post(f"{path}/add_records", records=A["records"])).code == "invalid_input"
    other = [{"value": "192.0.2.2"}]
    assert (await zone.post(f"{path}/add_records", records=other, ttl=999)).bad_fields == {"ttl"}
    assert (await zone.post(f"{PATH}/x/SPF/actions/add_records", records=other)).bad_fields == {"type"}


async def test_comments_change_and_values_stay(zone: World) -> None:
    await zone.post(PATH, **A)
    changed = await zone.post(
        f"{PATH}/www/A/actions/update_records", records=[{"value": "192.0.2.1", "comment": "why"}]
    )
    assert changed.status == 200
    shown = (await zone.get(f"{PATH}/www/A")).body["rrset"]
    assert shown["records"] == [{"value": "192.0.2.1", "comment": "why"}]


async def test_a_protected_set_does_not_change(zone: World) -> None:
    await zone.post(PATH, **A)
    path = f"{PATH}/www/A"
    await zone.post(f"{path}/actions/change_protection", change=True)
    refusals = [
        await zone.delete(path),
        await zone.post(f"{path}/actions/set_records", records=[{"value": "192.0.2.2"}]),
        await zone.post(f"{path}/actions/add_records", records=[{"value": "192.0.2.2"}]),
        await zone.post(f"{path}/actions/change_ttl", ttl=None),
    ]
    assert {(reply.status, reply.code) for reply in refusals} == {(423, "protected")}


async def test_a_zone_keeps_its_soa(zone: World) -> None:
    assert (await zone.delete(f"{PATH}/@/SOA")).status == 422


async def test_sets_are_filtered_by_name_type_and_label(zone: World) -> None:
    await zone.post(PATH, **A, labels={"by": "me"})
    await zone.post(PATH, **(A | {"name": "api"}))
    assert (await zone.get(PATH, name="api")).names("rrsets") == ["api"]
    assert (await zone.get(PATH, type="A", sort="name:asc")).names("rrsets") == ["api", "www"]
    assert (await zone.get(PATH, label_selector="by=me")).names("rrsets") == ["www"]


async def test_a_ttl_can_go_back_to_that_of_the_zone(zone: World) -> None:
    await zone.post(PATH, **A, ttl=300)
    await zone.post(f"{PATH}/www/A/actions/change_ttl", ttl=None)
    assert (await zone.get(f"{PATH}/www/A")).body["rrset"]["ttl"] is None
