"""The demo as people start it: it plays its scene by itself, or stays open for a second terminal."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from declarations import host, records, setting, workspace, zone
from harness import Plane, client, is_ready, until
from setpoint.demo import levers

WITHIN = 60.0
PULL = (
    "import sys; from setpoint.demo.levers import pull; sys.exit(max(pull([verb]) for verb in sys.argv[1:]))"
)


async def started(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.startswith("SETPOINT_")},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def ran(folder: Path, *arguments: str) -> tuple[int, str]:
    process = await started(folder, *arguments)
    said, _ = await asyncio.wait_for(process.communicate(), WITHIN)
    return process.returncode or 0, said.decode()


async def test_it_plays_its_scene_and_ends_well(tmp_path: Path) -> None:
    began = time.monotonic()
    code, said = await ran(tmp_path, "-m", "setpoint", "demo")
    assert code == 0, said
    assert time.monotonic() - began < WITHIN
    acts = [line.split()[1] for line in said.splitlines() if line.startswith("  ") and len(line.split()) > 1]
    scene = (
        "declare",
        "converge",
        "break",
        "heal",
        "lie",
        "notice",
        "mistake",
        "HELD",
        "undo",
        "drop",
        "deleted",
    )
    assert [act for act in acts if act in scene] == list(scene)
    assert "wrong deletes: 0" in said
    assert "0 changes made on it" in said
    assert not (tmp_path / ".setpoint" / "demo.json").exists()


@dataclass
class Open:
    """A demo that stays open in its folder, with something in it to be broken."""

    folder: Path
    plane: Plane
    found: Any

    async def lever(self, *words: str) -> str:
        code, said = await ran(self.folder, "-m", "setpoint", "demo", *words)
        assert code == 0, said
        return said

    async def levers(self, *verbs: str) -> str:
        """One second process pulls them one after the other."""
        code, said = await ran(self.folder, "-c", PULL, *verbs)
        assert code == 0, said
        return said

    async def faults(self) -> list[str]:
        """What goes wrong at the cloud now, by its own account."""
        cloud = self.found["clouds"]["hetzner"]
        headers = {"Authorization": f"Bearer {cloud['token']}"}
        url = f"{cloud['url'].removesuffix('/v1')}/_sim/faults"
        async with aiohttp.ClientSession(headers=headers) as session, session.get(url) as response:
            return [one["fault"]["kind"] for one in (await response.json())["faults"]]


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Open]:
    ready = tmp_path / "ready.json"
    process = await started(tmp_path, "-m", "setpoint", "demo", "--stay", "--ready-file", str(ready))
    try:
        async with asyncio.timeout(20):
            while not ready.exists():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.02)
        found = json.loads(ready.read_text())
        async with client(found["url"], found["token"]) as session:
            plane = Plane(found["url"], tmp_path, session)
            cloud = found["clouds"]["hetzner"]["url"]
            await plane.declare(
                [*setting(cloud), workspace(), zone(), *records(range(3)), host("web-2", agent=True)]
            )
            yield Open(tmp_path, plane, found)
    finally:
        process.terminate()
        said, _ = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 0, said.decode()
    assert not (tmp_path / ".setpoint" / "demo.json").exists()


async def test_a_second_terminal_breaks_and_mends_it(stage: Open) -> None:
    assert stage.found.keys() == {"url", "token", "link", "clouds"}
    assert stage.found["clouds"]["hetzner"].keys() == {"url", "token"}

    async def whole() -> Any:
        one = await stage.plane.named("hosts", "web-2")
        return one if is_ready(one) else None

    before = await until(whole, "the host to be READY", stage.plane.story)
    assert "is gone; watch it come back" in await stage.lever("break")

    async def replaced() -> bool:
        one = await whole()
        return bool(one and one["status"]["facts"]["server_id"] != before["status"]["facts"]["server_id"])

    await until(replaced, "the host on another server", stage.plane.story)
    said = await stage.levers("lie", "partition", "slow")
    assert [line.partition(" from now on")[0] for line in said.splitlines()] == [
        "the cloud lies",
        "the cloud is away",
        "the cloud is slow",
    ]
    assert await stage.faults() == ["missing_page", "timeout_before", "slow"]
    said = await stage.levers("mend", "report")
    assert said.startswith("the cloud behaves again\n")
    assert "wrong deletes: 0" in said
    assert await stage.faults() == []


@pytest.mark.parametrize("verb", levers.LEVERS)
def test_a_lever_without_a_demo_says_how_to_start_one(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert levers.pull([verb]) == 1
    assert capsys.readouterr().out == "no demo runs in this folder; start one with: setpoint demo --stay\n"
