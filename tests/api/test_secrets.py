"""Secrets are where they belong, in the data folder and at the cloud: in no answer, log or database row."""

import re
from base64 import b64encode
from pathlib import Path

import pytest

from declarations import host, workspace, zone
from enrolments import private_half, token_of
from harness import ORGANIZATION, TOKEN, World, world

from .kit import Api, as_other


async def test_nothing_that_is_secret_can_be_read_anywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), workspace(), zone(), host("web-1", agent=True)])
        await w.all_ready("hosts", 1)
        await w.all_ready("agents", 1)
        w.sim.faults.revoke(TOKEN)
        await w.looked("provider", "hetzner")
        await w.in_state("providers", "hetzner", "DEGRADED")
        secrets = await known_secrets(w)
        api = Api(w.plane.url, tmp_path, w.run, w.plane.session, secrets)
        await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "auditor"})
        for path in await readable(w):
            assert (await api.get(path)).status == 200, path
        async with as_other(api, "wrong") as stranger:
            assert (await stranger.get("/v1/kinds")).status == 401
        admin = w.run.token
    printed = "".join(capsys.readouterr())
    assert "turn failed" not in printed
    for secret in (*secrets, admin):
        assert secret not in printed
    for secret in {*secrets, admin}:
        assert secret.encode() not in stored(tmp_path)


def stored(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("*.db*"))


async def known_secrets(w: World) -> tuple[str, ...]:
    """The vendor's token, what enrolments are signed with, and the token that the one server was given."""
    store, data = w.run.application.scheduler.store, w.plane.data
    (made,) = [act for act in w.plane.acts() if act.item == "server"]
    given = await token_of(store, data, made.domain, made.id)
    assert given in next(iter(w.sim._cloud.servers)).user_data
    signing = await private_half(store, data)
    return (TOKEN, signing.hex(), b64encode(signing).decode(), given)


async def readable(w: World) -> list[str]:
    """Every address that can be read, with names that are there."""
    names = {"organizations": "acme", "projects": "shop", "workspaces": "prod", "providers": "hetzner"}
    names |= {"dns_zones": "example-org", "hosts": "web-1", "agents": "web-1"}
    (task, *_), (decided, *_) = await w.plane.every("tasks"), await w.plane.every("passes")
    permission = "?verb=read&key=organization"
    asked = {
        ":wait": "?timeout=0",
        ":related": f"?ref={task['target']}",
        ":allowed": f"?action=observe&refs={task['target']}",
        ":explain": f"{permission}&who=ci",
        "/v1/me:can-i": permission,
        ":who-can": permission,
    }
    found = []
    for route in w.run.application.api.routes:
        path, methods = getattr(route, "path", ""), getattr(route, "methods", ()) or ()
        if "GET" not in methods or "/plans/" in path or path.startswith(("/v1/me/", "/v1/accounts/")):
            continue
        path += next((query for end, query in asked.items() if path.endswith(end)), "")
        identity = decided["id"] if "/passes/" in path else task["id"]
        path = path.replace("{id}", identity).replace("/docs/kinds/{name}", "/docs/kinds/host")
        for plural, name in names.items():
            path = re.sub(rf"/{plural}/{{\w+}}", f"/{plural}/{name}", path)
        found += [path] if "{" not in path else []
    assert len(found) > 40
    return found
