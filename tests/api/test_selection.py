"""Several objects, before anything is done to them: which may be touched, and why not the others."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from harness import ORGANIZATION, PROJECT, WORKSPACE

from .kit import AnyJson, Api, as_other, settled, still, thing

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALLOWED = f"{ORGANIZATION}/inventory:allowed"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def some(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    hosts = [
        thing("host", name, {"provider": "hetzner"}, project="shop", workspace="prod", **more)
        for name, more in {"web-1": {}, "web-2": {"protected": True}, "web-3": {}}.items()
    ]
    async with still(tmp_path_factory.mktemp("selection")) as api:
        assert (await api.declare(*settled(), *hosts)).status == 200
        yield api


async def ref(api: Api, path: str) -> str:
    return str((await api.good("GET", path))["metadata"]["ref"])


async def told(api: Api, action: str, *paths: str) -> list[AnyJson]:
    refs = [await ref(api, path) for path in paths]
    found = await api.good("GET", f"{ALLOWED}?action={action}&refs={','.join(refs)}")
    assert [item["ref"] for item in found["items"]] == refs
    return [(item["name"], item["allowed"], item["why"]) for item in found["items"]]


async def test_each_is_told_of_with_its_own_reason(some: Api) -> None:
    await some.good("POST", f"{WORKSPACE}/hosts/web-3:pause", {"reason": "by hand"})
    web = [f"{WORKSPACE}/hosts/web-{number}" for number in (1, 2, 3)]
    assert await told(some, "delete", *web) == [
        ("web-1", True, ""),
        (
            "web-2",
            False,
            'host web-2 is protected; first run setpoint release host web-2 --protection --reason "WHY"',
        ),
        ("web-3", True, ""),
    ]
    assert [item[1:] for item in await told(some, "pause", *web)] == [
        (True, ""),
        (True, ""),
        (False, "it is paused already"),
    ]
    assert [item[1] for item in await told(some, "resume", *web)] == [False, False, True]
    assert [item[1] for item in await told(some, "observe", *web)] == [True, True, True]


async def test_what_is_used_says_by_whom_and_what_has_no_loop_that(some: Api) -> None:
    provider = f"{ORGANIZATION}/providers/hetzner"
    ((_, allowed, why),) = await told(some, "delete", provider)
    assert not allowed
    assert why.startswith("provider hetzner is used by ")
    ((_, allowed, why),) = await told(some, "delete", PROJECT)
    assert (allowed, "still holds" in why) == (False, True)
    assert (await told(some, "observe", f"{ORGANIZATION}/notification_channels/hooks"))[0][1:] == (
        False,
        "it has no loop that could look at it",
    )


async def test_what_would_be_refused_is_told_and_what_is_told_as_allowed_is_done(some: Api) -> None:
    for name in ("web-1", "web-2"):
        ((_, allowed, _),) = await told(some, "delete", f"{WORKSPACE}/hosts/{name}")
        done = await some.call("DELETE", f"{WORKSPACE}/hosts/{name}?dry_run=true")
        assert (done.status < 300) == allowed


async def test_whoever_lacks_the_permission_reads_which(some: Api) -> None:
    token = (await some.good("POST", f"{ORGANIZATION}/tokens", {"name": "eye", "role": "auditor"}))["token"]
    async with as_other(some, token) as auditor:
        ((_, allowed, why),) = await told(auditor, "delete", f"{WORKSPACE}/hosts/web-1")
        assert not allowed
        assert 'you lack the permission "delete project.workspace.host"' in why


async def test_what_is_not_theirs_to_see_is_as_if_it_were_not_there(some: Api) -> None:
    assert (await some.declare({"kind": "project", "metadata": {"name": "lab"}, "spec": {}})).status == 200
    body = {"name": "lab", "role": "operator", "project": "lab"}
    token = (await some.good("POST", f"{ORGANIZATION}/tokens", body))["token"]
    hidden = await ref(some, f"{PROJECT}/dns_zones/example-org")
    async with as_other(some, token) as other:
        found = await other.good("GET", f"{ALLOWED}?action=delete&refs={hidden},host/none")
    assert [(item["name"], item["why"]) for item in found["items"]] == [("", "it is not there any more")] * 2


@pytest.mark.parametrize(
    ("query", "mistakes"),
    [("", 2), ("action=explode&refs=a", 1), ("action=delete&refs=" + ",".join(map(str, range(101))), 1)],
    ids=["nothing", "action", "many"],
)
async def test_all_that_is_wrong_is_said_at_once(some: Api, query: str, mistakes: int) -> None:
    refused = await some.get(f"{ALLOWED}?{query}")
    assert (refused.status, refused.body["code"], len(refused.body["errors"])) == (400, "bad_query", mistakes)
