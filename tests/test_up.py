"""`setpoint up` as a process: ready, alone in its folder, and gone without loss when it is told to stop."""

import asyncio
import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from declarations import record, setting, zone
from harness import ORGANIZATION, Plane, client
from processes import free_port, reached, start_up


async def ran(*arguments: str, **env: str) -> tuple[int, str]:
    """One command to its end: its exit code and all it said."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "setpoint",
        *arguments,
        env={**os.environ, **env},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, said.decode()


async def test_it_stops_when_told_and_has_lost_nothing_when_it_is_back(tmp_path: Path) -> None:
    port = free_port()
    first = await start_up(tmp_path, port)
    async with reached(tmp_path, first) as plane:
        await plane.declare([*setting("http://127.0.0.1:9/v1"), zone(), record(1)])
        before = {kind: names(await plane.every(kind)) for kind in ("providers", "dns_zones", "dns_records")}
        token = (tmp_path / "data" / "admin.token").read_text()
        first.terminate()
        assert await first.ended() == 0
    second = await start_up(tmp_path, port)
    try:
        async with reached(tmp_path, second) as plane:
            assert (tmp_path / "data" / "admin.token").read_text() == token
            assert {kind: names(await plane.every(kind)) for kind in before} == before
            assert (await plane.good("GET", f"{ORGANIZATION}/audit:verify"))["intact"] is True
    finally:
        await second.kill()


async def test_an_open_stream_does_not_keep_it_and_its_files_are_its_own(tmp_path: Path) -> None:
    process = await start_up(tmp_path, 0)
    async with reached(tmp_path, process) as plane:
        async with plane.session.get(f"{plane.url}{ORGANIZATION}/events?watch=1") as stream:
            await stream.content.readline()
            process.terminate()
            await asyncio.wait_for(stream.content.read(), 60)
        assert await process.ended() == 0
    for file in ("admin.token", "setpoint.db"):
        assert stat.S_IMODE((tmp_path / "data" / file).stat().st_mode) & 0o077 == 0, file
    said = process.output.read_text()
    assert "Traceback" not in said
    assert (tmp_path / "data" / "admin.token").read_text() not in said
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", int(plane.url.rpartition(":")[2])), timeout=1).close()


async def test_a_second_one_in_the_same_folder_or_at_the_same_port_is_refused(tmp_path: Path) -> None:
    process = await start_up(tmp_path, 0)
    try:
        ready = await process.ready()
        code, said = await ran("up", "--data", str(tmp_path / "data"), "--port", "0")
        assert code == 1
        assert said.startswith("setpoint stopped: ")
        assert "already" in said or "another" in said
        assert "Traceback" not in said
        taken = ready["url"].rpartition(":")[2]
        code, said = await ran("up", "--data", str(tmp_path / "other"), "--port", taken)
        assert code == 1
        refused, _, advice = said.strip().partition("; ")
        assert refused == f"setpoint stopped: cannot listen on 127.0.0.1:{taken}: Address already in use"
        assert advice == "choose another with --port"
        async with client(ready["url"], ready["token"]) as session:
            assert (await Plane(ready["url"], tmp_path, session).call("GET", "/readyz")).status == 200
    finally:
        await process.kill()


async def test_bad_settings_are_all_listed_and_nothing_starts(tmp_path: Path) -> None:
    code, said = await ran(
        "up",
        "--data",
        str(tmp_path / "data"),
        "--port",
        "lots",
        SETPOINT_TASKS_AT_ONCE="0",
        SETPOINT_INTERVALS="host",
    )
    assert code == 2
    lines = said.splitlines()
    assert lines[0] == "these settings are wrong:"
    assert [line.partition("=")[0] for line in lines[1:]] == [
        "--port",
        "SETPOINT_TASKS_AT_ONCE",
        "SETPOINT_INTERVALS",
    ]
    assert not (tmp_path / "data").exists()


async def test_a_folder_that_cannot_be_used_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, said = await ran("up", "--data", str(tmp_path / "file" / "data"), "--port", "0")
    assert code == 1
    assert said.startswith(f"setpoint stopped: {tmp_path / 'file' / 'data'} cannot be used: ")


def names(found: list[dict[str, dict[str, str]]]) -> list[str]:
    return [one["metadata"]["name"] for one in found]


async def test_a_key_that_is_named_must_be_there_and_be_one(tmp_path: Path) -> None:
    key = tmp_path / "shared.key"
    wanted = {"SETPOINT_PEOPLE_KEY_FILE": str(key), "SETPOINT_DATA": str(tmp_path / "data")}
    code, said = await ran("up", "--port", "0", **wanted)
    assert (code, "cannot be read" in said) == (1, True)
    key.write_text("short")
    code, said = await ran("up", "--port", "0", **wanted)
    assert (code, "make one with: head -c 32 /dev/urandom | base64" in said) == (1, True)
    assert not (tmp_path / "data" / "people.key").exists()
