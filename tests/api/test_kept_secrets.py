"""Secrets of an organization over HTTP: sealed, listed, replaced with an overlap, and never shown."""

import asyncio
import contextlib
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import postgres
from declarations import setting, zone
from harness import ORGANIZATION, TOKEN, Plane, client, keep_secret, quick, simulator, until, world
from setpoint.capabilities.world import Destination
from setpoint.engine import bounds
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Denied
from setpoint.engine.secret import Secret, secret_id
from setpoint.engine.store import AUDIT_PAGE, KEYS_OF, ORGANIZATIONS, SECRETS_OF, Change, Put
from setpoint.providers.secrets import FolderSecrets
from setpoint.rotations import rotate_keys
from setpoint.up import running
from setpoint.vault.keyring import Keyring
from setpoint.vault.master import MasterFile
from setpoint.vault.rotation import Rotation
from setpoint.vault.secrets import SealedSecrets

from .kit import Api, as_other, channel

SECRETS = f"{ORGANIZATION}/secrets"
VALUE = "a-token-that-nobody-must-see"

HERE = Destination(url="http://127.0.0.1:9/v1")


async def ours(api: Api) -> Declared:
    """Beside the foreign one of every world."""
    found = await api.store.read(ORGANIZATIONS, after="", limit=9)
    return next(each for each in found if each.name == "acme")


async def kept(api: Api) -> list[Secret]:
    organization = await ours(api)
    return await api.store.read(SECRETS_OF, home=organization.ref, after="", limit=99)


async def test_a_secret_is_sealed_listed_and_never_shown(api: Api) -> None:
    made = await api.good("PUT", f"{SECRETS}/hetzner", {"value": VALUE})
    assert (made["name"], made["version"], made["previous"]) == ("hetzner", 1, None)
    assert made["used_by"] == [{"kind": "provider", "name": "hetzner", "scope": "acme", "version": None}]
    listed = (await api.good("GET", SECRETS))["items"]
    assert listed == [made]
    (row,) = await kept(api)
    assert VALUE.encode() not in row.now.box
    shown = json.dumps([answer.raw.decode(errors="replace") for answer in api.answered])
    assert VALUE not in shown
    audit = await api.store.read(AUDIT_PAGE, organization="acme", after=0, limit=99)
    assert VALUE not in str(audit)
    assert [line.action for line in audit if line.action.startswith("secret.")] == ["secret.set"]


async def test_the_same_value_again_changes_nothing_and_another_one_is_the_next_version(api: Api) -> None:
    first = await api.good("PUT", f"{SECRETS}/hetzner", {"value": "one"})
    assert await api.good("PUT", f"{SECRETS}/hetzner", {"value": "one"}) == first
    second = await api.good("PUT", f"{SECRETS}/hetzner", {"value": "two"})
    assert (second["version"], second["previous"]) == (2, None)
    assert second["digest"] != first["digest"]


async def test_what_is_wrong_with_a_secret_is_told_without_it(api: Api) -> None:
    long = "x" * 70_000
    for name, body, mistakes in (
        ("hetzner", {}, {("/value", "missing")}),
        (
            "hetzner",
            {"value": 3, "keep_previous": 1},
            {("/value", "missing"), ("/keep_previous", "bad_type")},
        ),
        ("hetzner", {"value": long}, {("/value", "bad_value")}),
        ("hetzner", {"value": "secret://other"}, {("/value", "bad_value")}),
        ("Hetzner", {"value": "x", "vlaue": VALUE}, {("", "bad_name"), ("/vlaue", "unknown_field")}),
    ):
        refused = await api.call("PUT", f"{SECRETS}/{name}", body)
        assert (refused.status, refused.mistakes) == (422, mistakes)
        assert VALUE not in refused.raw.decode()
    assert (await api.call("PUT", f"{SECRETS}/x", [1])).status == 400
    assert (await api.call("PUT", "/v1/organizations/nobody/secrets/x", {"value": "y"})).status == 404
    assert (await api.call("DELETE", f"{SECRETS}/nothing")).status == 404


async def test_what_something_names_is_not_deleted(api: Api) -> None:
    await api.good("PUT", f"{SECRETS}/hetzner", {"value": VALUE})
    refused = await api.call("DELETE", f"{SECRETS}/hetzner")
    assert (refused.status, refused.body["code"]) == (409, "secret_used")
    assert "provider hetzner" in refused.body["detail"]
    await api.good("PUT", f"{SECRETS}/spare", {"value": VALUE})
    assert (await api.good("DELETE", f"{SECRETS}/spare"))["name"] == "spare"
    assert [row.name for row in await kept(api)] == ["hetzner"]


async def test_whoever_may_not_see_a_consumer_hears_only_that_there_is_one(api: Api) -> None:
    await api.good("PUT", f"{SECRETS}/hooks", {"value": VALUE, "hosts": ["hooks.example.org"]})
    await api.good("PUT", f"{ORGANIZATION}/notification_channels/second", channel("second"))
    made = await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "bill", "role": "billing"})
    async with as_other(api, made["token"]) as bill:
        for method, path in (("GET", SECRETS), ("PUT", f"{SECRETS}/hooks"), ("DELETE", f"{SECRETS}/hooks")):
            assert (await bill.call(method, path, {"value": "x"} if method == "PUT" else None)).status == 403
    auditor = await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "eye", "role": "auditor"})
    async with as_other(api, auditor["token"]) as eye:
        (row,) = (await eye.good("GET", SECRETS))["items"]
        assert [each["name"] for each in row["used_by"]] == ["hooks", "second"]
        assert (await eye.call("PUT", f"{SECRETS}/hooks", {"value": "x"})).status == 403


async def test_pages_of_secrets_are_whole(api: Api) -> None:
    for number in range(5):
        await api.good("PUT", f"{SECRETS}/s{number}", {"value": f"value {number}"})
    first = await api.good("GET", f"{SECRETS}?page_size=2")
    rest = await api.good("GET", f"{SECRETS}?page_size=9&page_token={first['next_page_token']}")
    assert [row["name"] for row in (*first["items"], *rest["items"])] == [f"s{n}" for n in range(5)]


async def test_an_api_alone_neither_has_nor_makes_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setpoint.api.secrets.LOOKS", 1)
    url = await postgres.database()
    settings = quick(tmp_path, database=url, allow_unsafe_database=True)
    async with running(settings, services=frozenset({"api"})) as run, client(run.url, run.token) as session:
        plane = Plane(run.url, tmp_path, session)
        await plane.good("PUT", ORGANIZATION, {"spec": {}})
        refused = await plane.call("PUT", f"{SECRETS}/hetzner", {"value": VALUE})
        assert (refused.status, refused.body["retryable"]) == (503, True)
        assert "is a worker running?" in refused.body["hint"]
    assert not (tmp_path / "master.key").exists()
    await postgres.drop(url)


async def test_a_sealed_credential_works_and_is_replaced_without_a_gap(tmp_path: Path) -> None:
    """A wrong successor is never relied on; the right one is proven before the one before may go."""
    async with world(tmp_path, sim={"more_tokens": ("next-token",)}) as w:
        (tmp_path / "secrets" / "hetzner").unlink()
        await w.plane.declare([*w.setting(), zone()])
        path = f"{ORGANIZATION}/secrets/hetzner"
        await w.plane.good("PUT", path, {"value": TOKEN})
        await w.all_ready("dns_zones", 1)
        await w.plane.good("PUT", path, {"value": "wrong", "keep_previous": True})
        await w.in_state("providers", "hetzner", "DEGRADED")
        refused = await w.plane.call("POST", f"{path}:retire", {})
        assert (refused.status, refused.body["code"]) == (409, "not_proven")
        assert "provider hetzner" in refused.body["detail"]
        await w.plane.declare([zone("second-org")])
        await w.in_state("dns_zones", "second-org", "READY")
        mended = await w.plane.good("PUT", path, {"value": "next-token"})
        assert (mended["version"], mended["previous"]["version"]) == (3, 1)
        await w.in_state("providers", "hetzner", "READY")

        async def proven() -> bool:
            (row,) = (await w.plane.good("GET", f"{ORGANIZATION}/secrets"))["items"]
            return bool(row["used_by"][0]["version"] == 3)

        await w.until(proven, "version 3 was seen")
        left = await w.plane.good("POST", f"{path}:retire", {})
        assert (left["version"], left["previous"]) == (3, None)
        assert await w.plane.good("POST", f"{path}:retire", {}) == left
        await w.looked("dns_zone", "second-org")
        await w.in_state("dns_zones", "second-org", "READY")


async def test_two_organizations_with_the_same_name_for_a_secret_never_meet(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        keep_secret(tmp_path, "hetzner", "operator's, and wrong")
        await w.plane.declare(w.setting())
        other = "/v1/organizations/other"
        provider = {
            "family": "hetzner_cloud",
            "endpoint": f"{w.sim_url}/v1",
            "credential": "secret://hetzner",
        }
        await w.plane.good("PUT", other, {"spec": {}})
        await w.plane.good("PUT", f"{other}/providers/theirs", {"spec": provider})
        await w.plane.good("PUT", f"{ORGANIZATION}/secrets/hetzner", {"value": TOKEN})
        await w.all_ready("providers", 1)
        theirs = await w.plane.good("GET", f"{other}/providers/theirs")
        assert theirs["status"]["state"] != "READY"


async def test_three_processes_with_a_pen_each_seal_open_and_prove(tmp_path: Path) -> None:
    """On PostgreSQL the API's own role can neither make a key nor change one."""
    url = await postgres.database()
    async with contextlib.AsyncExitStack() as stack:
        _, cloud = await stack.enter_async_context(simulator())
        runs = {}
        for service in ("api", "worker", "scheduler"):
            settings = quick(tmp_path, database=url, allow_unsafe_database=True)
            named = frozenset({service})
            runs[service] = await stack.enter_async_context(running(settings, services=named))  # type: ignore[arg-type]
        api = runs["api"]
        session = await stack.enter_async_context(client(api.url, api.token))
        plane = Plane(api.url, tmp_path, session)
        await plane.declare(setting(f"{cloud}/v1"))
        await plane.good("PUT", f"{SECRETS}/hetzner", {"value": TOKEN})

        async def proven() -> bool:
            (row,) = (await plane.good("GET", SECRETS))["items"]
            return bool(row["used_by"][0]["version"] == 1)

        await until(proven, "version 1 was seen", plane.story)
        store = api.application.scheduler.store
        (organization,) = await store.read(ORGANIZATIONS, after="", limit=9)
        (key,) = await store.read(KEYS_OF, home=organization.ref)
        with pytest.raises(Denied, match="permission denied"):
            await store.commit(Change(writes=(Put(replace(key, public=b"x" * 32)),)))
        await rotated(url, tmp_path)
        assert [each.version for each in await store.read(KEYS_OF, home=organization.ref)] == [2]
        await plane.good("PUT", f"{SECRETS}/hetzner", {"value": "another", "keep_previous": True})
    await postgres.drop(url)


async def rotated(url: str, folder: Path) -> None:
    """As an operator does it, beside everything that runs."""
    said: list[str] = []
    words = ["--database", url, "--data", str(folder)]
    environment = {"SETPOINT_ALLOW_UNSAFE_DATABASE": "true"}
    assert await asyncio.to_thread(rotate_keys, words, environment, said.append) == 0, said
    assert said == ["acme: key 2 is in force, and everything is sealed with it"]


async def test_a_key_that_changes_under_a_secret_being_set_does_not_take_it_away(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between sealing and storing the whole rotation happens; it is sealed anew, with the key of now."""
    await api.good("PUT", f"{SECRETS}/hetzner", {"value": "first"})
    organization = await ours(api)
    commit, ring = api.store.commit, Keyring(MasterFile(api.data / "master.key"))
    rotations: list[int] = []

    async def late(change: Change) -> None:
        if not rotations and any(isinstance(w, Put) and isinstance(w.row, Secret) for w in change.writes):
            rotations.append(1)
            await Rotation(api.store, ring, lambda: 5.0, "ann").organization(organization)
        await commit(change)

    monkeypatch.setattr(api.store, "commit", late)
    made = await api.good("PUT", f"{SECRETS}/hooks", {"value": VALUE})
    assert (made["version"], rotations) == (1, [1])
    await Rotation(api.store, ring, lambda: 6.0, "ann").unfinished()
    secrets = SealedSecrets(api.store, ring, lambda: 1.0, FolderSecrets(api.data))
    for name, value in (("hetzner", "first"), ("hooks", VALUE)):
        assert (await secrets.open("acme", f"secret://{name}", Ref("provider/1"), HERE)).value == value
    assert [key.version for key in await api.store.read(KEYS_OF, home=organization.ref)] == [2]


async def test_an_organization_has_so_many_secrets_and_no_more(api: Api) -> None:
    """Who is full may still replace and delete."""
    await api.good("PUT", f"{SECRETS}/first", {"value": VALUE})
    [one] = [row for row in await kept(api) if row.name == "first"]
    held = len(await kept(api))
    copies = (f"copy{number}" for number in range(bounds.SECRETS.most - held))
    rows = tuple(Put(replace(one, id=secret_id(one.home, name), name=name)) for name in copies)
    await api.store.commit(Change(writes=rows))
    refused = await api.call("PUT", f"{SECRETS}/more", {"value": VALUE})
    assert (refused.status, refused.body["code"]) == (422, "too_much_declared")
    assert "1000 secrets; at most 1000 fit" in refused.body["detail"]
    await api.good("PUT", f"{SECRETS}/first", {"value": f"{VALUE}-2"})
    await api.good("DELETE", f"{SECRETS}/copy1")
    await api.good("PUT", f"{SECRETS}/more", {"value": VALUE})
