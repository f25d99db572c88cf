"""Naming a secret needs a right of its own, for every kind that has a field for one."""

from typing import Any

import pytest
from msgspec.json import schema

from setpoint.kinds import ALL

from .kit import ORGANIZATION, Api, as_other

KINDS = [kind for kind in ALL if kind.secrets]
USE = {"keys": ["organization.secret.use"], "verbs": ["execute"]}
EVERYTHING = {"keys": ["organization.*"], "verbs": ["read", "create", "update"]}


def test_every_field_that_names_a_secret_is_known_with_where_it_goes() -> None:
    for kind in ALL:
        written = repr(schema(kind.spec))
        assert written.count("^secret://") == len(kind.secrets), kind.name
        assert set(kind.secrets) | set(kind.secrets.values()) <= set(kind.spec.__struct_fields__)
        for field in kind.secrets:
            assert kind.example[field].startswith("secret://")


async def role(api: Api, name: str, *rules: Any) -> str:
    await api.good("PUT", f"{ORGANIZATION}/roles/{name}", {"spec": {"rules": list(rules)}})
    made = await api.good("POST", f"{ORGANIZATION}/tokens", {"name": name, "role": name})
    return str(made["token"])


async def tag(api: Api, where: str) -> dict[str, str]:
    return {"If-Match": (await api.call("GET", where)).headers["ETag"]}


def local(kind: Any, **more: str) -> dict[str, Any]:
    [(field, at)] = kind.secrets.items()
    return {"spec": {**kind.example, field: "secret://one", at: "http://127.0.0.1:9/v1", **more}}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_whoever_may_declare_the_kind_alone_names_no_secret(api: Api, kind: Any) -> None:
    [(field, at)] = kind.secrets.items()
    where = f"{ORGANIZATION}/{kind.plural}"
    await api.good("PUT", f"{where}/theirs", local(kind))
    async with as_other(api, await role(api, "declares", EVERYTHING)) as other:
        body = {"items": [{"kind": kind.name, "metadata": {"name": "mine"}, **local(kind)}]}
        patch = {"spec": {field: "secret://two"}}
        moved = {"spec": {at: "http://127.0.0.2:9/v1"}}
        tries = [
            await other.call("PUT", f"{where}/mine", local(kind)),
            await other.call("POST", where, {"metadata": {"name": "mine"}, **local(kind)}),
            await other.call("POST", f"{ORGANIZATION}/declarations", body),
            await other.call("POST", f"{ORGANIZATION}/declarations", {**body, "dry_run": True}),
            await other.call("PATCH", f"{where}/theirs", patch, headers=await tag(api, f"{where}/theirs")),
            await other.call("PATCH", f"{where}/theirs", moved, headers=await tag(api, f"{where}/theirs")),
        ]
        for each in tries:
            assert (each.status, b"organization.secret.use" in each.raw) == (403, True), each.raw
        # What has nothing to do with the secret stays theirs to change.
        labels = {"metadata": {"labels": {"team": "a"}}}
        kept = await other.call("PATCH", f"{where}/theirs", labels, headers=await tag(api, f"{where}/theirs"))
        assert kept.status == 200, kept.raw.decode()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_with_the_right_it_is_named(api: Api, kind: Any) -> None:
    async with as_other(api, await role(api, "uses", EVERYTHING, USE)) as other:
        made = await other.call("PUT", f"{ORGANIZATION}/{kind.plural}/mine", local(kind))
        assert made.status in (200, 201), made.raw.decode()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_a_secret_is_refused_early_where_it_does_not_serve(api: Api, kind: Any) -> None:
    [(_, at)] = kind.secrets.items()
    where = f"{ORGANIZATION}/{kind.plural}/mine"
    await api.good("PUT", f"{ORGANIZATION}/secrets/one", {"value": "v", "hosts": ["good.example.org"]})
    refused = await api.call("PUT", where, local(kind, **{at: "https://evil.example.org/v1"}))
    assert (refused.status, b"--host evil.example.org" in refused.raw) == (422, True), refused.raw
    await api.good("PUT", where, local(kind, **{at: "https://good.example.org/v1"}))


async def test_hosts_are_kept_when_left_out_and_move_only_with_the_value(api: Api) -> None:
    where = f"{ORGANIZATION}/secrets/hooks"
    first = await api.good("PUT", where, {"value": "v", "hosts": ["B.example.org.", "a.example.org"]})
    assert first["hosts"] == ["a.example.org", "b.example.org"]
    assert (await api.good("PUT", where, {"value": "w"}))["hosts"] == first["hosts"]
    assert (await api.call("PUT", where, {"hosts": ["evil.example.org"]})).status == 422
    wrong = await api.call("PUT", where, {"value": "v", "hosts": ["https://a", "*.org", 7]})
    assert [each["pointer"] for each in wrong.body["errors"]] == ["/hosts/0", "/hosts/1", "/hosts/2"]
    # The version before keeps its own hosts: widening with a made-up value moves it nowhere.
    wider = {"value": "x", "hosts": ["evil.example.org"], "keep_previous": True}
    kept = await api.good("PUT", where, wider)
    assert (kept["hosts"], kept["previous"]["hosts"]) == (["evil.example.org"], first["hosts"])
    assert (await api.good("PUT", where, {"value": "y", "hosts": []}))["hosts"] == []
