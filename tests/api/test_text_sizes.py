"""No text of any request is longer than its bound; what is just not too long is kept as it was sent."""

from collections.abc import Iterator
from typing import Any

import pytest

from harness import ORGANIZATION, PROJECT, WORKSPACE
from setpoint.engine.bounds import ABOUT, OWNER, REASON, TEXT
from setpoint.kinds import ALL

from .kit import Api, collection, everything, settled

pytestmark = pytest.mark.asyncio(loop_scope="module")

AnyJson = Any
LONG = "long " * 2_000
NAMED = {"organizations": "acme", "projects": "shop", "workspaces": "prod", "dns_zones": "example-org"}
NAMED |= {"notification_channels": "hooks", "providers": "hetzner", "organization": "acme", "project": "shop"}
NAMED |= {"workspace": "prod", "key": "scope:acme/shop"}
CUT = f"items/0/metadata/{'x' * 64}"
BOUNDED_ELSEWHERE = ("spec", "labels", "facts", "value")
"""Held to the bounds of an object, cut to what fits, or with a bound of its own as the value of a secret."""
RECORDS = ("events", "audit", "tokens", "memberships", "plans")


def places(schema: AnyJson, document: AnyJson, at: str = "") -> Iterator[tuple[str, AnyJson]]:
    """Every place of a body that takes a text, and the body with a long one there and nothing else."""
    match schema:
        case {"$ref": ref}:
            yield from places(document["components"]["schemas"][ref.rpartition("/")[2]], document, at)
        case {"type": "string"}:
            yield at, LONG
        case {"type": "array", "items": inner}:
            yield from ((place, [body]) for place, body in places(inner, document, f"{at}/0"))
        case {"properties": fields}:
            for name in fields.keys() - {*BOUNDED_ELSEWHERE}:
                inner = places(fields[name], document, f"{at}/{name}")
                yield from ((place, {name: body}) for place, body in inner)
        case {"type": "object"}:
            yield f"{at}/anything", {"anything": LONG}
            yield f"{at}/{'x' * 64}", {"x" * 10_000: 1}


def address(path: str, made: dict[str, str]) -> str:
    """A path of the contract that leads to something that is there."""
    parts: list[str] = []
    for part in path.split("/"):
        name, brace, verb = part.removeprefix("{").partition("}")
        known = {**NAMED, **made}
        parts.append(
            known.get(parts[-1] if name in ("name", "id") else name, "new-one") + verb if brace else part
        )
    return "/".join(parts)


async def stored(api: Api) -> AnyJson:
    """All that is declared and told, and all that a request could leave besides."""
    records = {name: (await api.get(f"{ORGANIZATION}/{name}?page_size=500")).body for name in RECORDS}
    others = {path: (await api.get(path)).body for path in ("/v1/switches", "/v1/accounts", "/v1/outbox")}
    others["/v1/accounts"] = [each["id"] for each in others["/v1/accounts"]["items"]]
    return {**await everything(api), **records, **others}


async def there(api: Api) -> dict[str, str]:
    """One object of each kind, and the ids of what has no name."""
    for kind in ALL:
        if not kind.by_machine:
            spec = {**kind.example, **({"domain": "new-one.example"} if kind.claims else {})}
            await api.good("PUT", f"{collection(kind)}/new-one", {"spec": spec})
    plan = await api.good("POST", f"{ORGANIZATION}/plans", {"items": settled()})
    account = await api.good("POST", "/v1/accounts", {"email": "bob@acme.example"})
    return {"plans": plan["id"], "operations": plan["id"], "accounts": account["id"]}


async def test_a_long_text_is_refused_wherever_a_body_takes_one_and_nothing_is_stored(shared: Api) -> None:
    made, document = await there(shared), (await shared.get("/openapi.json")).body
    before, bounded, otherwise = await stored(shared), 0, set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for sort, content in operation.get("requestBody", {"content": {}})["content"].items():
                headers = {"Content-Type": sort}
                for pointer, body in places(content["schema"] or {}, document):
                    refused = await shared.call(method.upper(), address(path, made), body, headers=headers)
                    assert 400 <= refused.status < 500, (method, path, pointer, refused)
                    if refused.status == 422:
                        assert refused.mistakes == {(pointer, "too_large")}, (method, path, refused)
                        bounded += 1
                    else:
                        otherwise.add((path.replace("{name}:", "{id}:").rpartition("/")[2], refused.status))
    # Not reached by an administrator's token: an agent's own door, a person's, and what is not there.
    assert {status for _, status in otherwise} <= {403, 404}, otherwise
    assert bounded > 5 * len(otherwise), otherwise
    assert await stored(shared) == before


async def test_all_that_is_too_long_is_said_at_once_with_its_size_and_its_bound(shared: Api) -> None:
    items = [{"kind": "project", "metadata": {"name": "one", "x" * 5_000: "y" * 5_000}, "spec": {}}]
    refused = await shared.declare(*items, owner="é" * 200, apiVersion="z" * 5_000)
    assert refused.status == 422
    assert refused.body["code"] == "invalid"
    told = {each["pointer"]: each["message"] for each in refused.body["errors"]}
    assert told == {
        "/owner": f"owner has 400 bytes; at most {OWNER.most} fit",
        "/apiVersion": f"apiVersion has 5000 bytes; at most {TEXT.most} fit",
        f"/{CUT}": f"{CUT} has 5000 bytes; at most {TEXT.most} fit",
    }


async def test_a_control_character_does_not_hide_that_another_text_is_too_long(shared: Api) -> None:
    body = {"mode": "stop\x1b", "reason": "r" * (REASON.most + 1)}
    refused = await shared.call("PUT", "/v1/switches/scope:acme/shop", body)
    assert refused.mistakes == {("/mode", "control_character"), ("/reason", "too_large")}


@pytest.mark.parametrize("letter", ["a", "é", "🦄"])
async def test_what_is_just_not_too_long_is_kept_as_it_was_sent(shared: Api, letter: str) -> None:
    size = len(letter.encode())
    reason, about = letter * (REASON.most // size), letter * (ABOUT.most // size)
    owner = letter * (OWNER.most // size)
    for path in (f"{PROJECT}:pause", f"{PROJECT}:protect", f"{WORKSPACE}:pause"):
        await shared.good("POST", path, {"reason": reason})
        assert (await shared.call("POST", path, {"reason": f"{reason}{letter}"})).status == 422
    assert any(each["reason"] == reason for each in (await shared.get("/v1/switches")).body["items"])
    name = {"a": "one", "é": "two", "🦄": "three"}[letter]
    token = {"name": f"about-{name}", "role": "auditor", "about": about}
    assert (await shared.good("POST", f"{ORGANIZATION}/tokens", token))["about"] == about
    declared = await shared.declare(
        {"kind": "project", "metadata": {"name": f"owned-{name}"}, "spec": {}}, owner=owner
    )
    assert declared.body["items"][0]["metadata"]["owner"] == owner


async def test_specs_and_values_of_secrets_are_as_large_as_before(shared: Api) -> None:
    values = [f"v=verification-{number:05d}" for number in range(1_000)]
    spec = {"zone": "example-org", "name": "much", "type": "TXT", "values": [*values, "x" * 4_000]}
    await shared.good("PUT", f"{PROJECT}/dns_records/much", {"spec": spec})
    await shared.good("PUT", f"{ORGANIZATION}/secrets/large", {"value": "s" * 8_000})
