"""The demo as people start it: it plays its scene by itself, or stays open for a second terminal."""

import asyncio
import json
import os
import pty
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from harness import Plane, client, is_ready, until
from setpoint.demo import levers

WITHIN = 240.0
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
    code, said = await ran(tmp_path, "-m", "setpoint", "demo")
    assert code == 0, said
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
    assert "24 of 24 objects READY" in said
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
        async with asyncio.timeout(60):
            while not ready.exists():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.02)
        found = json.loads(ready.read_text())
        async with client(found["url"], found["token"]) as session:
            yield Open(tmp_path, Plane(found["url"], tmp_path, session), found)
    finally:
        process.terminate()
        said, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, said.decode()
    assert not (tmp_path / ".setpoint" / "demo.json").exists()


async def test_a_second_terminal_breaks_and_mends_it(stage: Open) -> None:
    assert stage.found.keys() == {"url", "token", "link", "clouds"}
    assert stage.found["clouds"]["hetzner"].keys() == {"url", "token"}

    async def whole() -> Any:
        one = await stage.plane.named("hosts", "web-2")
        return one if one and is_ready(one) else None

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
    said = await stage.levers("mend", "lie", "report")
    ready, total = map(int, re.findall(r"(\d+) of (\d+) objects READY", said)[0])
    assert ready < total, "what was looked at since cannot be READY while the cloud lies"
    assert re.search(r"looked at since the last lever: [1-9]\d* of", said)
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


@dataclass
class Terminal:
    """A demo on a terminal of its own, and all that it has written there."""

    screen: int
    said: str = ""

    async def until(self, words: str) -> None:
        async with asyncio.timeout(WITHIN):
            while words not in self.said:
                self.said += (await asyncio.to_thread(os.read, self.screen, 65536)).decode()


@pytest.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    screen, inner = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "setpoint", "demo"),
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if not key.startswith("SETPOINT_")},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    try:
        yield Terminal(screen)
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), 20)
        os.close(screen)
    assert process.returncode == 0


async def test_on_a_terminal_it_plays_its_story_then_stays_with_a_live_feed(
    tmp_path: Path, terminal: Terminal
) -> None:
    await terminal.until("Ctrl-C stops")
    story, _, _ = terminal.said.partition("Ctrl-C stops")
    assert "wrong deletes: 0" in story
    assert "demo break [HOST] [--agent]" in story
    code, said = await ran(tmp_path, "-m", "setpoint", "demo", "break", "web-2")
    assert code == 0, said
    await terminal.until("host/web-2 PENDING")
    await terminal.until("host/web-2 READY")
