"""A canary in every secret field there is; the whole product is driven, broken and backed up; none sings.

What is searched: every file of the data folder, a dump of all tables of PostgreSQL, backups, logs, metrics,
and every answer of every route that can be read."""

import asyncio
import base64
import contextlib
import json
import logging
import secrets as randomness
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import postgres
from declarations import host, workspace, zone
from enrolments import private_half, token_of
from harness import ORGANIZATION, TOKEN, World, control_plane, keep_secret, simulator
from setpoint.backups import backup
from setpoint.capabilities.mark import ACT
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import Change, Put
from setpoint.rotations import rotate_keys

from .canaries import OPEN, Hit, dump, files, found, spellings, unpacked
from .test_secrets import readable

AnyJson = Any


def canary(name: str, *, odd: bool = False) -> str:
    """Unlike anything else; with `odd`, nearly every way to spell it is another one."""
    return f"canary-{name}-{randomness.token_hex(12)}" + ('"\\é/+ &' if odd else "")


@dataclass
class Scene:
    """Where canaries are put, and everything that is told while it plays."""

    w: World
    secrets: dict[str, str]
    raw: dict[str, bytes] = field(default_factory=dict)
    answers: list[tuple[str, bytes]] = field(default_factory=list)

    async def ask(self, method: str, path: str, body: AnyJson = None, **options: Any) -> AnyJson:
        if body is not None:
            options["json"] = body
        async with self.w.plane.session.request(method, self.w.plane.url + path, **options) as response:
            raw = await response.read()
        self.answers.append((f"{method} {path} {response.status}", raw + repr(response.headers).encode()))
        return json.loads(raw) if raw.startswith((b"{", b"[")) else None


@contextlib.asynccontextmanager
async def scene(folder: Path, **settings: Any) -> AsyncIterator[Scene]:
    first, second = canary("first-token"), canary("second-token")
    async with (
        simulator(token=first, more_tokens=(second, TOKEN)) as (cloud, url),
        control_plane(folder, **settings) as (plane, run),
    ):
        secrets = {"first": first, "second": second, "hook": canary("hook", odd=True)}
        secrets |= {"operator": canary("operator"), "pasted": canary("pasted", odd=True)}
        secrets |= {f"{name}'s core": secrets[name][:32] for name in ("hook", "pasted")}
        secrets |= {"admin": run.token, "master": (folder / "master.key").read_text().strip()}
        yield Scene(World(cloud, url, plane, run), secrets)


async def play(scene: Scene, folder: Path) -> None:
    """Declare, converge, go wrong in every way that people do, rotate, delete."""
    w, secrets = scene.w, scene.secrets
    keep_secret(folder, "operator", secrets["operator"])
    path = f"{ORGANIZATION}/secrets"
    await w.plane.declare([*w.setting(), workspace(), zone(), host("web-1", agent=True)])
    await scene.ask("PUT", f"{path}/hetzner", {"value": secrets["first"]})
    await scene.ask("PUT", f"{path}/hooks", {"value": secrets["hook"]})
    await w.all_ready("hosts", 1)
    await w.all_ready("agents", 1)
    await monitored(scene)
    await mistaken(scene)
    made = await w.plane.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "auditor"})
    secrets["token"] = made["token"]
    secrets["token's own part"] = made["token"][36:68]
    await known(scene)
    w.sim.faults.revoke(secrets["first"])
    await w.looked("provider", "hetzner")
    await w.in_state("providers", "hetzner", "DEGRADED")
    await scene.ask("PUT", f"{path}/hetzner", {"value": secrets["second"], "keep_previous": True})
    await w.in_state("providers", "hetzner", "READY")
    await scene.ask("POST", f"{path}/hetzner:retire", {})
    for readable_path in await readable(w):
        await scene.ask("GET", readable_path)
    await scene.ask("GET", path)


async def monitored(scene: Scene) -> None:
    """An alert that is signed and cannot be delivered."""
    channel = {"url": "http://127.0.0.1:9/hook", "secret": "secret://hooks"}
    await scene.ask("PUT", f"{ORGANIZATION}/notification_channels/ops", {"spec": channel})
    watched = {"probe": "tcp", "target": "127.0.0.1:9", "raise_after": 1, "channels": ["ops"]}
    await scene.ask("PUT", f"{ORGANIZATION}/projects/shop/monitoring_objects/site", {"spec": watched})
    other = {
        "family": "hetzner_cloud",
        "endpoint": f"{scene.w.sim_url}/v1",
        "credential": "secret://operator",
    }
    await scene.ask("PUT", f"{ORGANIZATION}/providers/second", {"spec": other})

    async def tried() -> bool:
        tasks = await scene.w.plane.every("tasks")
        return any(task["pipeline"] == "notification.deliver" and task["attempts"] for task in tasks)

    await scene.w.until(tried, "a delivery was tried")


async def mistaken(scene: Scene) -> None:
    """A secret where it does not belong, in every place that takes something."""
    pasted = scene.secrets["pasted"]
    spec = {"family": "hetzner_cloud", "credential": pasted, "endpoint": pasted, "mode": pasted}
    await scene.ask("PUT", f"{ORGANIZATION}/providers/pasted", {"spec": spec})
    item = {"kind": "provider", "metadata": {"name": "pasted"}, "spec": spec}
    for where in ("declarations", "plans"):
        await scene.ask("POST", f"{ORGANIZATION}/{where}", {"items": [item]})
    await scene.ask("PUT", f"{ORGANIZATION}/secrets/pasted", {"value": [pasted]})
    broken = b'{"value": "' + pasted.encode()
    await scene.ask("PUT", f"{ORGANIZATION}/secrets/pasted", data=broken)
    await scene.ask("GET", "/v1/me", headers={"Authorization": "Bearer canary-" + scene.secrets["operator"]})
    await scene.ask("POST", "/v1/agent/enrol", {"token": f"a.b.{scene.secrets['operator']}", "facts": {}})


async def known(scene: Scene) -> None:
    """What the server was let in with, what could make more of that, and what its agent got for it."""
    store, data = scene.w.run.application.scheduler.store, scene.w.plane.data
    labels = (await scene.w.sim_call("GET", "/v1/servers"))["servers"][0]["labels"]
    ref = (await scene.w.plane.named("hosts", "web-1"))["metadata"]["ref"]
    scene.secrets["enrolment"] = await token_of(store, data, ref, labels[ACT])
    assert scene.secrets["enrolment"] in next(iter(scene.w.sim._cloud.servers)).user_data
    signing = await private_half(store, data)
    scene.secrets |= {"signing": signing.hex(), "signing, packed": base64.b64encode(signing).decode()}
    scene.raw["signing"] = signing
    (machine,) = scene.w.sim._cloud.agents.seen().values()
    (identity,) = await asyncio.to_thread(lambda: list(Path(machine.folder).rglob("identity.json")))
    scene.secrets["agent"] = json.loads(identity.read_bytes())["key"]


async def sung(scene: Scene, places: list[tuple[str, bytes]]) -> list[Hit]:
    everywhere = [*places, *scene.answers]
    bare = [
        Hit(name, "raw", place)
        for name, key in scene.raw.items()
        for place, said in everywhere
        if key in said
    ]
    return bare + found(scene.secrets, everywhere)


async def test_no_canary_is_found_in_anything_that_is_kept_or_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    data, copy = tmp_path / "data", tmp_path / "backup.gz"
    async with scene(data) as s:
        await play(s, data)
        assert await asyncio.to_thread(backup, [str(copy), "--data", str(data)], {}, print) == 0
        assert await asyncio.to_thread(rotate_keys, ["--data", str(data)], {}, print) == 0
        assert await sung(s, [*files(data), unpacked(copy)]) == []
    told = ("".join(capfd.readouterr()) + caplog.text).encode()
    assert b"key 2 is in force" in told
    names = [name for name, _ in files(data)]
    assert "setpoint.db" in names
    assert len(s.answers) > 60
    assert await sung(s, [*files(data), ("log", told)]) == []
    assert {name for name in OPEN if (data / name).exists()} >= {"admin.token", "master.key"}


async def test_no_canary_is_found_in_a_dump_of_every_table(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    url = await postgres.database()
    async with scene(tmp_path, database=url, allow_unsafe_database=True) as s:
        await play(s, tmp_path)
        assert await sung(s, await dump(url)) == []
        # The same search finds what is really there.
        await leak(s, s.secrets["second"])
        assert {hit.place for hit in await sung(s, await dump(url))} >= {"switch"}
    assert await sung(s, [*files(tmp_path), ("log", "".join(capfd.readouterr()).encode())]) == []
    await postgres.drop(url)


async def leak(scene: Scene, text: str) -> None:
    switch = Switch(key="kind:leak", mode=Mode.RUN, by="test", reason=text, since=1.0)
    await scene.w.run.application.scheduler.store.commit(Change(writes=(Put(switch),)))


@pytest.mark.parametrize("way", [name for name, _ in spellings("x" * 20)])
def test_a_planted_leak_is_found_however_it_is_spelled(tmp_path: Path, way: str) -> None:
    secret = canary("planted", odd=True)
    (tmp_path / "debug.log").write_bytes(b"before " + dict(spellings(secret))[way] + b" after")
    hits = found({"planted": secret}, files(tmp_path))
    assert (way, "debug.log") in [(hit.spelling, hit.place) for hit in hits]


async def test_a_leak_into_a_row_is_found_in_the_database_file_and_in_a_backup(tmp_path: Path) -> None:
    secret, copy = canary("planted", odd=True), tmp_path / "copy.gz"
    async with control_plane(tmp_path / "data") as (plane, run):
        s = Scene(World(None, "", plane, run), {"planted": secret})  # type: ignore[arg-type]
        assert await sung(s, list(files(tmp_path / "data"))) == []
        await leak(s, f"before {secret} after")
        assert await asyncio.to_thread(backup, [str(copy), "--data", str(tmp_path / "data")], {}, print) == 0
        hits = await sung(s, [*files(tmp_path / "data"), unpacked(copy)])
    assert {hit.place.partition("-")[0] for hit in hits} >= {"setpoint.db", "backup"}


@given(
    st.binary(max_size=9), st.binary(max_size=9), st.text(min_size=12, max_size=30).filter(str.isprintable)
)
def test_inside_something_longer_base64_is_found_too(before: bytes, after: bytes, secret: str) -> None:
    coded = base64.b64encode(before + secret.encode() + after)
    assert any(spelling in coded for name, spelling in spellings(secret) if name.startswith("base64+"))
