"""The agent as hosts run it: a process that enrols once, beats for ever, and knows when it is not wanted."""

import asyncio
import contextlib
import os
import stat
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from api.kit import Api, settled, still
from api.test_enrolment import Fleet, signs
from declarations import host
from harness import ENOUGH, ORGANIZATION, WORKSPACE, until
from processes import free_port
from setpoint.access.credential import spent_key
from setpoint.agent.identity import Identity, load, save
from setpoint.engine.entity import Declared
from setpoint.engine.store import DECLARED_CHILDREN, Change, Drop
from setpoint.engine.token import Token


@dataclass
class Started:
    """One run of `setpoint agent`, and what it has said so far."""

    process: asyncio.subprocess.Process
    said: Path

    async def ended(self) -> int:
        async with asyncio.timeout(ENOUGH):
            return await self.process.wait()

    async def says(self, words: str) -> None:
        async def said() -> bool:
            return words in self.said.read_text()

        await until(said, f"the agent to say {words!r}", self.story)

    async def story(self) -> str:
        return self.said.read_text()


@contextlib.asynccontextmanager
async def agent(folder: Path, url: str, token: str) -> AsyncIterator[Started]:
    """`setpoint agent`, killed at the end if it still runs."""
    said = folder.with_suffix(".log")
    kept = folder.with_suffix(".token")
    kept.write_text(f"{token}\n")
    arguments = ("agent", "--url", url, "--token-file", str(kept), "--folder", str(folder))
    with said.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "setpoint", *arguments, stdout=output, stderr=output
        )
    try:
        yield Started(process, said)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@contextlib.asynccontextmanager
async def fleet_at(data: Path, port: int) -> AsyncIterator[Fleet]:
    async with still(data, port=port) as api:
        made = await api.declare(*settled(), host("web-1", agent=True))
        fleet = Fleet(api, made.body["items"][-1]["metadata"]["ref"], "")
        fleet.token = await fleet.served()
        yield fleet


async def heard(api: Api) -> int:
    """How often agents were heard from after a silence."""
    events = (await api.get(f"{ORGANIZATION}/events?page_size=500")).body["items"]
    return sum(1 for event in events if event["type"] == "host.heartbeat_resumed")


async def test_it_enrols_once_and_keeps_who_it_is_across_restarts(tmp_path: Path) -> None:
    async with fleet_at(tmp_path / "data", 0) as fleet:
        folder = tmp_path / "agent"
        async with agent(folder, fleet.api.url, fleet.token) as first:
            await first.says("enrolled as agent/")
            first.process.terminate()
            assert await first.ended() == 0
        kept = folder / "identity.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        before = kept.read_bytes()
        assert fleet.token.encode() not in before
        last = (await signs(fleet)).at
        async with agent(folder, fleet.api.url, "another-token-altogether") as second:

            async def beats() -> bool:
                return (await signs(fleet)).at > last

            await until(beats, "a heartbeat under the old key", second.story)
            second.process.terminate()
            assert await second.ended() == 0
        assert kept.read_bytes() == before
        assert len(await fleet.agents()) == 1
        assert "agent.enrolment_repeated" not in await fleet.events()


async def test_it_goes_on_while_the_control_plane_is_away(tmp_path: Path) -> None:
    port = free_port()
    folder = tmp_path / "agent"
    async with contextlib.AsyncExitStack() as running:
        async with fleet_at(tmp_path / "data", port) as fleet:
            url = fleet.api.url
            started = await running.enter_async_context(agent(folder, url, fleet.token))
            await started.says("enrolled as")
        await started.says("waiting for the control plane")
        assert started.process.returncode is None
        async with still(tmp_path / "data", port=port) as again:
            await started.says("the control plane is back")
            assert await heard(again) >= 2
            started.process.terminate()
            assert await started.ended() == 0


async def test_it_waits_for_a_control_plane_that_is_not_there_yet_and_stops_when_told(tmp_path: Path) -> None:
    async with agent(tmp_path / "agent", f"http://127.0.0.1:{free_port()}", "a.b.c") as started:
        await started.says("waiting for the control plane")
        started.process.terminate()
        assert await started.ended() == 0
    assert not (tmp_path / "agent" / "identity.json").exists()


async def test_it_ends_with_1_when_it_is_refused(tmp_path: Path) -> None:
    async with fleet_at(tmp_path / "data", 0) as fleet:
        async with agent(tmp_path / "forged", fleet.api.url, "a.b.c") as forged:
            assert await forged.ended() == 1
            await forged.says("refused: this enrolment token is not known here")
        folder = tmp_path / "agent"
        async with agent(folder, fleet.api.url, fleet.token) as started:
            await started.says("enrolled as")
            await fleet.api.good("DELETE", f"{WORKSPACE}/agents/web-1")
            assert await started.ended() == 1
            await started.says("refused: this agent is not part of the fleet any more")


async def test_it_enrols_again_where_its_key_is_not_known_any_more(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    async with fleet_at(tmp_path / "data", 0) as fleet, agent(folder, fleet.api.url, fleet.token) as started:
        await started.says("enrolled as")
        before = load(folder)
        await restored(fleet)
        await started.says("our key is not known there; enrolling again")

        async def heard_again() -> bool:
            return len(await fleet.agents()) == 1 and load(folder) not in (None, before)

        await until(heard_again, "a new key", started.story)
        assert started.process.returncode is None
        assert "agent.enrolment_repeated" not in await fleet.events()


async def restored(fleet: Fleet) -> None:
    """As a database of before it enrolled."""
    (row,) = await fleet.api.store.read(DECLARED_CHILDREN, parent=fleet.host)
    keys = (spent_key(fleet.host, row.spec["enrolled_by"]), str(row.spec["key"]))
    await fleet.api.store.commit(
        Change(writes=(Drop(Declared, row.ref), *(Drop(Token, key) for key in keys)))
    )


def test_an_identity_is_kept_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert load(folder) is None
    before = os.umask(0)
    try:
        save(folder, Identity("agent/1", "first"))
        save(folder, Identity("agent/1", "second"))
    finally:
        os.umask(before)
    assert load(folder) == Identity("agent/1", "second")
    assert stat.S_IMODE((folder / "identity.json").stat().st_mode) == 0o600
    assert [file.name for file in folder.iterdir()] == ["identity.json"]


@pytest.mark.parametrize("torn", [b"", b"{", b"[]", b'{"agent": 7}'])
def test_a_torn_identity_is_none(tmp_path: Path, torn: bytes) -> None:
    (tmp_path / "identity.json").write_bytes(torn)
    assert load(tmp_path) is None
