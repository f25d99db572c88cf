"""Requests that mean harm: too much of something, words that are not theirs to say, names that deceive."""

from io import BytesIO
from typing import Any

import pytest

from harness import ORGANIZATION, PROJECT
from setpoint.engine.bounds import MISTAKES

from .kit import Api, channel, everything

pytestmark = pytest.mark.asyncio(loop_scope="module")

RECORDS = f"{PROJECT}/dns_records"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"items": [' + b"1," * 99_999 + b"1]}", 413, "too_many"),
        (b'{"spec": {"values": [' + b'"a",' * 99_999 + b'"a"]}}', 413, "too_many"),
        (b"{" + b",".join(b'"k%d": 1' % n for n in range(10_001)) + b"}", 413, "too_many"),
        (b'{"a": "' + b"x" * 10_000_000 + b'"}', 413, "too_large"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, 400, "too_deep"),
    ],
    ids=["items", "values", "fields", "10 MB", "65 deep"],
)
async def test_too_much_of_anything_is_refused_and_nothing_is_stored(
    shared: Api, body: bytes, status: int, code: str
) -> None:
    before = await everything(shared)
    for method, path in (("POST", f"{ORGANIZATION}/declarations"), ("PUT", f"{RECORDS}/much")):
        refused = await shared.call(method, path, data=BytesIO(body))
        assert (refused.status, refused.body["code"]) == (status, code)
    assert await everything(shared) == before


async def test_what_is_just_not_too_much_is_read(shared: Api) -> None:
    most = b'{"items": [' + b"1," * 9_999 + b"1]}"
    refused = await shared.call("POST", f"{ORGANIZATION}/declarations", data=most)
    assert (refused.status, len(refused.body["errors"])) == (422, MISTAKES.most)
    assert refused.body["detail"].startswith("10000 mistakes")


@pytest.mark.parametrize(
    ("path", "headers", "status", "code"),
    [
        (f"/v1/kinds?x={'y' * 9_000}", {}, 414, "address_too_long"),
        ("/v1/kinds", {f"X-{n}": "y" * 4_000 for n in range(9)}, 431, "headers_too_large"),
        ("/v1/kinds?x=%ff", {}, 400, "not_utf8"),
        ("/v1/%C3%28", {}, 400, "not_utf8"),
    ],
    ids=["address", "headers", "query", "path"],
)
async def test_a_request_that_no_handler_should_see_is_refused(
    shared: Api, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    refused = await shared.get(path, headers=headers)
    assert (refused.status, refused.body["code"]) == (status, code)


async def test_headers_cannot_make_another_request_of_it(shared: Api) -> None:
    path = f"{ORGANIZATION}/notification_channels/hooks"
    others = {
        "X-HTTP-Method-Override": "DELETE",
        "X-HTTP-Method": "DELETE",
        "X-Method-Override": "DELETE",
        "X-Original-URL": "/livez",
        "X-Rewrite-URL": "/livez",
        "X-Forwarded-Host": "evil.example.org",
        "X-Forwarded-Prefix": "/evil",
    }
    for method in ("GET", "PUT"):
        body = channel("hooks") if method == "PUT" else None
        answer = await shared.call(f"{method}", f"{path}?_method=DELETE", body, headers=others)
        assert answer.body["metadata"]["name"] == "hooks"
        assert answer.body["metadata"]["deleting"] == ""
        assert b"evil" not in answer.raw + repr(answer.headers).encode()


@pytest.mark.parametrize(
    ("method", "path", "body", "refused"),
    [
        (
            "PUT",
            f"{ORGANIZATION}/notification_channels/mine",
            {
                **channel("mine", owner="me", created_by="me", generation=9, organization="other", ref="x"),
                "status": {"state": "READY"},
                "approved_by": "me",
                "org_id": "other",
            },
            {
                "/metadata/owner",
                "/metadata/created_by",
                "/metadata/generation",
                "/metadata/organization",
                "/metadata/ref",
                "/status",
                "/approved_by",
                "/org_id",
            },
        ),
        (
            "POST",
            f"{ORGANIZATION}/tokens",
            {
                "name": "ci",
                "role": "operator",
                "scope": "",
                "subject": "root",
                "created_by": "x",
                "hash": "y",
            },
            {"/scope", "/subject", "/created_by", "/hash"},
        ),
        (
            "PUT",
            "/v1/switches/kind:host",
            {"reason": "x", "by": "somebody", "version": 7, "since": 0},
            {"/by", "/version", "/since"},
        ),
        (
            "POST",
            f"{ORGANIZATION}/notification_channels/hooks:protect",
            {"reason": "x", "item": "y", "by": "somebody"},
            {"/by"},
        ),
        (
            "POST",
            f"{ORGANIZATION}/declarations",
            {"items": [], "organization": "other", "actor": "me", "status": {}},
            {"/organization", "/actor", "/status"},
        ),
    ],
    ids=["object", "token", "switch", "protect", "declarations"],
)
async def test_what_is_ours_to_say_cannot_be_assigned(
    shared: Api, method: str, path: str, body: Any, refused: set[str]
) -> None:
    answer = await shared.call(method, path, body)
    assert answer.status == 422
    assert {pointer for pointer, _ in answer.mistakes} == refused


@pytest.mark.parametrize(
    "name", ["\uff48ooks", "hooks\u200b", "\ufb01le", "hooKs", "h\u043e\u043eks"], ids=ascii
)
async def test_a_name_that_could_be_taken_for_another_is_refused(shared: Api, name: str) -> None:
    batch = await shared.declare(channel(name))
    assert ("/items/0/metadata/name", "bad_name") in batch.mistakes


async def test_an_owner_and_a_label_are_spelt_as_everybody_reads_them(shared: Api) -> None:
    wrong = await shared.declare(
        channel("spelt", labels={"\uff54eam": "a", "team": "\u00bd"}), owner="\uff47it"
    )
    assert wrong.mistakes == {("/owner", "bad_name"), ("/items/0/metadata/labels/\uff54eam", "bad_name")}
