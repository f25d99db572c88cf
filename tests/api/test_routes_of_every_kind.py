"""The same routes for every kind, derived from the kind: nothing here names one."""

from collections.abc import Mapping
from typing import Any

import pytest

from setpoint.engine.kind import Kind
from setpoint.kinds import ALL

from .kit import Api, collection

pytestmark = pytest.mark.asyncio(loop_scope="module")

DECLARED = [kind for kind in ALL if not kind.by_machine]
BY_MACHINE = [kind for kind in ALL if kind.by_machine]
by_name = pytest.mark.parametrize("kind", DECLARED, ids=lambda kind: kind.name)
ANY = {"If-Match": "*"}
"""On top of whatever is there: some kinds want that said."""


def example(kind: Kind, name: str, **labels: str) -> dict[str, Any]:
    """One that stands beside the others of its parent."""
    spec = {**kind.example, "name": name} if kind.beside else dict(kind.example)
    if kind.claims:  # What it alone may own is another thing for each.
        spec |= {key: f"{name}.{value}" for key, value in spec.items() if "." in str(value)}
    return {"kind": kind.name, "metadata": {"name": name, "labels": labels}, "spec": spec}


def within(sent: Any, found: Any) -> bool:
    """Whether all that was sent is there; what was left out has its default."""
    if isinstance(sent, Mapping):
        return all(key in found and within(value, found[key]) for key, value in sent.items())
    if isinstance(sent, list):
        return len(sent) == len(found) and all(map(within, sent, found))
    return bool(sent == found)


@by_name
async def test_it_is_made_once_and_found_again(shared: Api, kind: Kind) -> None:
    made = await shared.call("POST", collection(kind), example(kind, "one", z="last", a="first"))
    assert made.status == 201
    again = await shared.call("POST", collection(kind), example(kind, "one"))
    assert (again.status, again.body["code"]) == (409, "exists")
    found = await shared.get(f"{collection(kind)}/one")
    assert found.status == 200
    assert found.body == made.body
    assert found.headers["ETag"] == made.headers["ETag"]
    assert found.headers["ETag"].startswith('"')
    assert within(example(kind, "one")["spec"], found.body["spec"])
    assert found.body["metadata"]["generation"] == 1
    assert found.body["status"]["reason"]
    head = await shared.call("HEAD", f"{collection(kind)}/one")
    assert (head.status, head.raw) == (200, b"")


@by_name
async def test_declaring_the_same_changes_nothing(shared: Api, kind: Kind) -> None:
    first = await shared.call("PUT", f"{collection(kind)}/same", example(kind, "same"))
    again = await shared.call("PUT", f"{collection(kind)}/same", example(kind, "same"), headers=ANY)
    assert (first.status, again.status) == (200, 200)
    assert again.body == first.body
    other = example(kind, "same", team="shop")
    changed = await shared.call("PUT", f"{collection(kind)}/same", other, headers=ANY)
    assert changed.body["metadata"]["generation"] == 2
    assert changed.headers["ETag"] != first.headers["ETag"]


@by_name
async def test_some_kinds_are_changed_only_on_top_of_a_version(shared: Api, kind: Kind) -> None:
    path = f"{collection(kind)}/exact"
    assert (await shared.call("PUT", path, example(kind, "exact"))).status == 200
    for method, body in (("PUT", example(kind, "exact")), ("PATCH", {}), ("DELETE", None)):
        answer = await shared.call(method, path, body)
        assert (answer.status == 428) == kind.exact
        if kind.exact:
            assert (answer.body["code"], answer.body["current"]["generation"]) == ("needs_match", 1)


@by_name
async def test_a_patch_changes_what_it_mentions(shared: Api, kind: Kind) -> None:
    path = f"{collection(kind)}/patched"
    made = await shared.good("PUT", path, example(kind, "patched", team="shop", stage="one"))
    patch = {"metadata": {"labels": {"stage": None, "cost": "low"}}}
    changed = await shared.good("PATCH", path, patch, headers=ANY)
    assert changed["metadata"]["labels"] == {"team": "shop", "cost": "low"}
    assert changed["spec"] == made["spec"]
    wrong = await shared.call("PATCH", path, {"spec": {"no_such": 1}}, headers=ANY)
    assert (wrong.status, wrong.mistakes) == (422, {("/spec/no_such", "unknown_field")})


@by_name
async def test_a_write_on_an_old_version_is_refused_with_the_current_one(shared: Api, kind: Kind) -> None:
    path = f"{collection(kind)}/versioned"
    old = (await shared.call("PUT", path, example(kind, "versioned"))).headers["ETag"]
    newer = example(kind, "versioned", v="2")
    new = (await shared.call("PUT", path, newer, headers={"If-Match": old})).headers["ETag"]
    stale = {"If-Match": old}
    for method, body in (("PUT", example(kind, "versioned", v="3")), ("PATCH", {}), ("DELETE", None)):
        refused = await shared.call(method, path, body, headers=stale)
        assert (refused.status, refused.body["code"]) == (412, "stale")
        assert new.startswith(f'"{refused.body["current"]["etag"]}.')
    assert (await shared.call("PATCH", path, {}, headers={"If-Match": f'"x", {new}'})).status == 200
    assert (await shared.call("PATCH", path, {}, headers={"If-Match": "*"})).status == 200
    assert (await shared.call("PATCH", path, {}, headers={"If-Match": f"W/{new}"})).status == 412
    only_new = await shared.call("PUT", path, example(kind, "versioned"), headers={"If-None-Match": "*"})
    assert only_new.status == 412


@by_name
async def test_deleting_is_accepted_and_shown(shared: Api, kind: Kind) -> None:
    path = f"{collection(kind)}/leaving"
    tag = (await shared.call("PUT", path, example(kind, "leaving"))).headers["ETag"]
    accepted = await shared.call("DELETE", path, headers={"If-Match": tag})
    assert accepted.status == 202
    left = await shared.get(path)
    if left.status == 200:
        assert left.body["metadata"]["deleting"] == "asked"
    else:
        assert left.status == 404


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
async def test_what_is_not_there_and_not_served_is_said_so(shared: Api, kind: Kind) -> None:
    path = f"{collection(kind)}/nobody"
    methods = ["GET", "DELETE"] if kind.by_machine else ["GET", "DELETE", "PATCH"]
    for method in methods:
        absent = await shared.call(method, path, {} if method == "PATCH" else None)
        assert (absent.status, absent.body["code"]) == (404, "not_found")
        assert "nobody" in absent.body["detail"]
    for suffix, method in (("why", "GET"), ("pause", "POST"), ("resume", "POST")):
        body = {"reason": "a test"} if method == "POST" else None
        assert (await shared.call(method, f"{path}:{suffix}", body)).status == 404
    wrong = await shared.call("DELETE", collection(kind))
    assert wrong.status == 405
    served = ["GET", "HEAD"] if kind.by_machine else ["GET", "HEAD", "POST"]
    assert wrong.headers["Allow"].split(", ") == served


@pytest.mark.parametrize("kind", BY_MACHINE, ids=lambda kind: kind.name)
async def test_what_declares_itself_cannot_be_declared(shared: Api, kind: Kind) -> None:
    body = {**example(kind, "forged"), "metadata": {"name": "forged", "project": "shop", "workspace": "prod"}}
    for method, path in (
        ("POST", collection(kind)),
        ("PUT", f"{collection(kind)}/forged"),
        ("PATCH", f"{collection(kind)}/forged"),
    ):
        assert (await shared.call(method, path, body)).status == 405
    for ask in ("declarations", "plans"):
        path = f"/v1/organizations/acme/{ask}"
        refused = await shared.call("POST", path, {"items": [body]})
        assert (refused.status, refused.mistakes) == (422, {("/items/0/kind", "by_machine")})


@by_name
async def test_why_is_told_in_a_sentence(shared: Api, kind: Kind) -> None:
    await shared.good("PUT", f"{collection(kind)}/asked", example(kind, "asked"))
    told = await shared.good("GET", f"{collection(kind)}/asked:why")
    assert told["sentence"].startswith("asked is ")
    assert told["chain"]
