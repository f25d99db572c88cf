"""What is wrong with a request is said once, all of it, with its place; and nothing of it is stored."""

from typing import Any

import pytest

from harness import ORGANIZATION, PROJECT

from .kit import Api, channel, everything, thing, watched

pytestmark = pytest.mark.asyncio(loop_scope="module")

RECORDS = f"{PROJECT}/dns_records"
WWW = {"zone": "example-org", "name": "www", "type": "A", "values": ["192.0.2.10"]}
WATCH = {"probe": "http", "target": "http://127.0.0.1:9/"}
FIRST = "/spec/conditions/0"


def condition(**changed: Any) -> dict[str, Any]:
    return {
        **WATCH,
        "conditions": [{"parameter": "http_status", "operator": "==", "threshold": 200, **changed}],
    }


async def test_every_mistake_of_a_request_is_in_one_answer_and_nothing_is_stored(shared: Api) -> None:
    before = await everything(shared)
    items = [
        channel("fine"),
        thing("dns_record", "typo", {**WWW, "tll": 300}, project="shop"),
        thing("dns_record", "lost", {**WWW, "zone": "nowhere"}, project="shop"),
        channel("fine"),
        watched("a", "b"),
        watched("b", "a"),
        thing("dns_recrod", "kind", {}),
        thing("dns_zone", "level", {"provider": "hetzner", "domain": "example.net"}),
        thing("dns_zone", "Bad_Name-", {"provider": "hetzner", "domain": "example.com"}, project="nowhere"),
        "text",
        channel("mine", owner="me", generation=7),
        {**channel("told"), "status": {"state": "READY"}},
        thing("dns_record", "twice", {**WWW, "type": "CNAME", "values": ["a.", "a."]}, project="shop"),
    ]
    refused = await shared.declare(*items, prunes=True)
    assert refused.status == 422
    assert refused.mistakes == {
        ("/prunes", "unknown_field"),
        ("/items/1/spec/tll", "unknown_field"),
        ("/items/2/spec/zone", "missing_reference"),
        ("/items/3/metadata/name", "duplicate_name"),
        ("/items/4/spec", "cycle"),
        ("/items/5/spec", "cycle"),
        ("/items/6/kind", "unknown_kind"),
        ("/items/7/metadata", "wrong_scope"),
        ("/items/8/metadata/name", "bad_name"),
        ("/items/8/metadata/project", "missing_scope"),
        ("/items/9", "bad_type"),
        ("/items/10/metadata/owner", "unknown_field"),
        ("/items/10/metadata/generation", "unknown_field"),
        ("/items/11/status", "unknown_field"),
        ("/items/12/spec/values", "bad_value"),
        ("/items/12/spec/values/1", "bad_value"),
        ("/items/12/spec/name", "clash"),
    }
    hints = {error["pointer"]: error["hint"] for error in refused.body["errors"]}
    assert hints["/items/1/spec/tll"] == "did you mean ttl?"
    assert hints["/items/6/kind"] == "did you mean dns_record?"
    assert hints["/prunes"] == "did you mean prune?"
    assert refused.body["detail"] == f"{len(refused.body['errors'])} mistakes; nothing was stored"
    assert await everything(shared) == before


async def test_values_of_records_are_judged_wherever_they_are_declared(shared: Api) -> None:
    wrong = {**WWW, "name": "new", "values": ["300.1.2.3", "192.0.2.1"], "ttl": 5}
    items = [
        thing("dns_record", "a", wrong, project="shop"),
        thing(
            "dns_record", "b", {**WWW, "name": "new", "type": "TXT", "values": ["not quoted"]}, project="shop"
        ),
        thing("dns_record", "c", {**WWW, "name": "new", "type": "CNAME", "values": ["www"]}, project="shop"),
        thing("dns_record", "d", {**WWW, "type": "SPF"}, project="shop"),
    ]
    for where in ("declarations", "declarations?dry_run=true", "plans"):
        refused = await shared.call("POST", f"{ORGANIZATION}/{where}", {"items": items})
        assert refused.mistakes == {
            ("/items/0/spec/values/0", "bad_value"),
            ("/items/0/spec/ttl", "bad_value"),
            *((f"/items/{index}/spec/name", "clash") for index in range(3)),
            ("/items/3/spec/type", "bad_field"),
        }
    [unknown] = [error for error in refused.body["errors"] if error["pointer"].endswith("type")]
    assert all(kind in unknown["message"] for kind in ("AAAA", "CNAME", "TXT"))
    for method, path in (("PUT", f"{RECORDS}/a"), ("PUT", f"{RECORDS}/a?dry_run=true")):
        refused = await shared.call(method, path, {"spec": wrong})
        assert refused.mistakes == {("/spec/values/0", "bad_value"), ("/spec/ttl", "bad_value")}


async def test_a_dry_run_finds_the_same_mistakes(shared: Api) -> None:
    items = [thing("dns_record", "typo", {**WWW, "tll": 1}, project="shop"), watched("c", "c")]
    for where in ("declarations", "plans"):
        refused = await shared.call("POST", f"{ORGANIZATION}/{where}", {"items": items})
        assert refused.mistakes == {("/items/0/spec/tll", "unknown_field"), ("/items/1/spec", "cycle")}


async def test_one_object_is_told_of_every_mistake_too(shared: Api) -> None:
    body = thing("dns_record", "other", {**WWW, "ttl": 1, "valeus": []}, project="nowhere", labels={"a": 1})
    for method, path in (("PUT", f"{RECORDS}/Wrong"), ("POST", RECORDS)):
        refused = await shared.call(method, path, body)
        expected = {
            ("/metadata/project", "contradiction"),
            ("/metadata/labels/a", "bad_type"),
            ("/spec/ttl", "bad_value"),
            ("/spec/valeus", "unknown_field"),
        }
        named = {("/metadata/name", code) for code in ("contradiction", "bad_name")}
        assert refused.mistakes == (expected | named if method == "PUT" else expected)
    path = "/v1/organizations/nowhere/projects/shop/dns_records/www"
    lost = await shared.call("PUT", path, {"spec": {**WWW, "zone": "nowhere"}})
    assert lost.mistakes == {
        ("/metadata/organization", "missing_scope"),
        ("/metadata/project", "missing_scope"),
        ("/spec/zone", "missing_reference"),
    }


@pytest.mark.parametrize(
    ("spec", "pointer", "says"),
    [
        (condition(treshold=1), f"{FIRST}/treshold", "treshold is not a field here"),
        ({**WATCH, "conditions": [{}]}, FIRST, "parameter is needed"),
        (condition(threshold="x"), f"{FIRST}/threshold", 'a number was expected, not "x"'),
        ({**WATCH, "conditions": {}}, "/spec/conditions", "a list was expected"),
        ({**WATCH, "a/b~c": 1}, "/spec/a~1b~0c", "a/b~c is not a field here"),
        ({**WATCH, "raise_after": 0}, "/spec/raise_after", "0 is too small; at least 1 is expected"),
        ({**WATCH, "raise_after": 2.0}, "/spec/raise_after", "a whole number was expected, without a point"),
        ({**WATCH, "probe": "smtp"}, "/spec/probe", '"smtp" is none of http, tcp'),
        ({**WATCH, "probe": "tcp", "target": "nowhere"}, "/spec/target", "a tcp probe needs host:port"),
        ({"probe": "http"}, "/spec", "target is needed"),
        ({**WATCH, "target": 7}, "/spec/target", "text was expected, not 7"),
        ([], "/spec", "a mapping was expected, not []"),
        (None, "/spec", "a mapping was expected, not null"),
    ],
)
async def test_a_mistake_in_a_spec_has_its_place(shared: Api, spec: Any, pointer: str, says: str) -> None:
    refused = await shared.call("PUT", f"{PROJECT}/monitoring_objects/wrong", {"spec": spec})
    assert refused.status == 422
    told = [error["message"] for error in refused.body["errors"] if error["pointer"] == pointer]
    assert any(says in message for message in told), refused.body["errors"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "not_json"),
        (b'{"spec": "\xff"}', 400, "not_json"),
        (b'{"spec": "\\ud800"}', 400, "not_json"),
        (b"\x00", 400, "not_json"),
        (b'{"spec": 1e999}', 400, "not_json"),
        (b"[" * 100_000, 400, "not_json"),
        (b'{"a":' * 100_000, 400, "not_json"),
        (b"[" * 100 + b"]" * 100, 400, "too_deep"),
        (b'{"spec": {"ttl": 99999999999999999999}}', 400, "bad_number"),
        (b'{"spec": {"ttl": -99999999999999999999}}', 400, "bad_number"),
        (b"[]", 422, "invalid"),
        (b"7", 422, "invalid"),
        (b"null", 422, "invalid"),
        (b'"text"', 422, "invalid"),
        (b'{"metadata": 7}', 422, "invalid"),
        (b'{"metadata": {"name": ["www"]}}', 422, "invalid"),
        (b"", 422, "invalid"),
    ],
    ids=lambda value: repr(value)[:24],
)
async def test_a_body_that_is_no_declaration_is_refused(
    shared: Api, body: bytes, status: int, code: str
) -> None:
    refused = await shared.call("PUT", f"{RECORDS}/www", data=body)
    assert (refused.status, refused.body["code"]) == (status, code)
    batch = await shared.call("POST", f"{ORGANIZATION}/declarations", data=body)
    assert batch.status in (200, 400, 422)
    assert (await shared.get(f"{RECORDS}/www")).status == 404


@pytest.mark.parametrize(
    "body", [{"items": {}}, {"items": None}, {"owner": 7}, {"prune": "yes"}, {"prune": True}]
)
async def test_a_batch_of_the_wrong_shape_is_refused(shared: Api, body: Any) -> None:
    refused = await shared.call("POST", f"{ORGANIZATION}/declarations", body)
    assert refused.status == 422
    assert refused.body["errors"]


@pytest.mark.parametrize(
    "name", ["A", "a" * 64, "-a", "a-", "a b", "ä", "a:b", "..", ".", "_", "%00", "a%0Ab", "%2e%2e"]
)
async def test_a_bad_name_is_refused(shared: Api, name: str) -> None:
    refused = await shared.call("PUT", f"{ORGANIZATION}/notification_channels/{name}", channel("x"))
    assert refused.status in (404, 405, 422)
    batch = await shared.declare({"kind": "notification_channel", "metadata": {"name": name}, "spec": {}})
    assert ("/items/0/metadata/name", "bad_name") in batch.mistakes


@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [
        ({"labels": []}, "/metadata/labels"),
        ({"labels": {"a/b": None}}, "/metadata/labels/a~1b"),
        ({"protected": "yes"}, "/metadata/protected"),
        ({"name": 7}, "/metadata/name"),
        ([], "/metadata"),
    ],
)
async def test_a_mistake_in_the_metadata_has_its_place(shared: Api, metadata: Any, pointer: str) -> None:
    body = {**channel("x"), "metadata": metadata}
    refused = await shared.call("PUT", f"{ORGANIZATION}/notification_channels/x", body)
    assert refused.status == 422
    assert pointer in {error["pointer"] for error in refused.body["errors"]}


async def test_a_number_that_the_kind_could_not_read_back_is_not_stored(shared: Api) -> None:
    refused = await shared.call("PATCH", ORGANIZATION, {"spec": {"limits": {"host": 3.0}}})
    assert refused.mistakes == {("/spec/limits", "bad_field")}
    assert (await shared.get("/v1/organizations")).status == 200


async def test_a_secret_pasted_where_its_name_belongs_is_not_said_back(shared: Api) -> None:
    spec = {"family": "hetzner_cloud", "credential": "hunter2-hunter2-hunter2"}
    refused = await shared.call("PUT", f"{ORGANIZATION}/providers/pasted", {"spec": spec})
    assert refused.mistakes == {("/spec/credential", "plain_secret")}
    assert b"hunter2" not in refused.raw


async def test_a_long_mistake_is_told_in_short(shared: Api) -> None:
    refused = await shared.call("PUT", f"{RECORDS}/long", {"spec": {**WWW, "ttl": "x" * 100_000}})
    assert len(refused.raw) < 5_000


async def test_a_cycle_through_what_is_stored_is_found(shared: Api) -> None:
    chain = (watched("down"), watched("middle", "down"), watched("up", "middle"))
    assert (await shared.declare(*chain)).status == 200
    path = f"{PROJECT}/monitoring_objects/down"
    refused = await shared.call("PATCH", path, {"spec": {"depends_on": ["up"]}})
    assert refused.mistakes == {("/spec", "cycle")}
    assert "→" in refused.body["errors"][0]["message"]


async def test_only_ascii_digits_are_a_port(shared: Api) -> None:
    spec = {"probe": "tcp", "target": "example.org:²"}
    refused = await shared.call("PUT", f"{PROJECT}/monitoring_objects/port", {"spec": spec})
    assert refused.mistakes == {("/spec/target", "bad_value")}
