"""Restored, copied or put back: whoever's database is older than the world looks, and deletes nothing."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import postgres
from declarations import host, record, records, setting, workspace, zone
from harness import ORGANIZATION, PROJECT, AnyJson, World, control_plane, counted, is_ready, simulator, until
from processes import free_port, reached, sim_process, start_up
from setpoint.backups import backup, restore
from setpoint.sim.hetzner import HetznerSim

SOON = {"host": 0.5, "dns_zone": 0.5, "provider": 0.5, "workspace": 1.0}
HOSTS, RECORDS = 16, 18
NEWER = 10
"""So many of either, at least, are newer than the backup."""
Cloud = tuple[HetznerSim, str]


@pytest.fixture
async def cloud() -> AsyncIterator[Cloud]:
    async with simulator() as (sim, url):
        yield sim, url


@asynccontextmanager
async def plane(cloud: Cloud, data: Path) -> AsyncIterator[World]:
    """A control plane on this folder, before that cloud; effects are counted from its start."""
    async with control_plane(data, intervals=SOON) as (reached, run):
        w = World(*cloud, reached, run)
        w.mark()
        yield w


def everything(hosts: range, numbers: range, url: str) -> list[AnyJson]:
    return [
        *setting(f"{url}/v1"),
        workspace(),
        zone(),
        *(host(f"web-{number}") for number in hosts),
        *records(numbers),
    ]


async def saved(path: Path, data: Path) -> list[str]:
    """`setpoint backup`, while the control plane runs: what it says."""
    said: list[str] = []
    code = await asyncio.to_thread(backup, [str(path), "--data", str(data)], {}, said.append)
    assert code == 0, said
    return said


async def restored(path: Path, data: Path, *flags: str) -> list[str]:
    said: list[str] = []
    code = await asyncio.to_thread(restore, [str(path), "--data", str(data), *flags], {}, said.append)
    assert code == 0, said
    return said


async def switch(w: World) -> AnyJson:
    """The lever above everything, while it is not at run."""
    found = (await w.plane.good("GET", "/v1/switches"))["items"]
    return next((one for one in found if one["key"] == "all"), None)


async def converged(w: World, hosts: int, numbers: int) -> None:
    await w.all_ready("hosts", hosts)
    await w.all_ready("dns_records", numbers)
    await w.all_ready("dns_zones", 1)
    await w.all_ready("providers", 1)


@pytest.mark.timeout(180)
async def test_what_is_newer_than_a_restored_backup_is_listed_adopted_and_never_touched(
    tmp_path: Path, cloud: Cloud
) -> None:
    path, old, new = tmp_path / "backup.gz", tmp_path / "old", tmp_path / "new"
    async with plane(cloud, old) as w:
        await backed_up_under_load(w, path)
        await w.plane.declare(everything(range(HOSTS), range(RECORDS), cloud[1]))
        await converged(w, HOSTS, RECORDS)
    assert any("frozen" in line for line in await restored(path, new))
    async with plane(cloud, new) as w:
        frozen = await switch(w)
        assert (frozen["mode"], frozen["by"]) == ("observe", "restore")
        assert "restored from a backup of 20" in frozen["reason"]
        assert "restored from" in w.run.paused
        await listed_and_adopted(w)
        await converged(w, HOSTS, RECORDS)
        await w.plane.good("DELETE", "/v1/switches/all")
        await w.passes("host", 2 * HOSTS)
        await w.looked("dns_zone", "example-org", 3)
        await converged(w, HOSTS, RECORDS)
        assert w.effects() == []
        verdict = await w.plane.good("GET", f"{ORGANIZATION}/audit:verify")
        assert verdict["intact"], verdict


async def backed_up_under_load(w: World, path: Path) -> None:
    """Taken while hosts and records are being declared and made."""
    await w.plane.declare(everything(range(3), range(3), w.sim_url))
    await w.all_ready("workspaces", 1)
    busy = everything(range(HOSTS - NEWER), range(RECORDS - NEWER), w.sim_url)
    loading = asyncio.create_task(w.plane.declare(busy))
    await saved(path, w.plane.data)
    await loading
    await converged(w, HOSTS - NEWER, RECORDS - NEWER)


async def listed_and_adopted(w: World) -> None:
    """Everything newer is told of, nothing is touched; then a person takes it over."""
    missing = HOSTS - len(await w.plane.every("hosts"))
    account = await w.in_state("providers", "hetzner", "DEGRADED", f"{missing} servers carry our mark")
    assert len(account["status"]["facts"]["unknown"]) == missing >= NEWER
    held = await w.in_state("dns_zones", "example-org", "HELD", "observe by restore")
    newer = RECORDS - len(await w.plane.every("dns_records"))
    assert len(held["status"]["facts"]["unknown"]) == newer >= NEWER
    await w.looked("dns_zone", "example-org", 3)
    assert w.effects() == []
    hosts = await w.plane.good("POST", f"{ORGANIZATION}/providers/hetzner:adopt", {})
    found = await w.plane.good("POST", f"{PROJECT}/dns_zones/example-org:adopt", {})
    assert (len(hosts["items"]), len(found["items"])) == (missing, newer)
    there = (await w.sim_call("GET", "/v1/servers?per_page=50"))["servers"]
    refs = {one["metadata"]["ref"].replace("/", ".") for one in await w.plane.every("hosts")}
    assert {one["labels"]["setpoint/entity"] for one in there} == refs


async def test_without_a_person_nothing_newer_than_the_journal_is_deleted_even_when_resumed(
    tmp_path: Path, cloud: Cloud
) -> None:
    path, old, new = tmp_path / "backup.gz", tmp_path / "old", tmp_path / "new"
    async with plane(cloud, old) as w:
        await w.plane.declare(everything(range(0), range(30), cloud[1]))
        await w.all_ready("dns_records", 30)
        await saved(path, old)
        await w.plane.declare(everything(range(0), range(32), cloud[1]))
        await w.all_ready("dns_records", 32)
    await restored(path, new)
    async with plane(cloud, new) as w:
        await w.plane.good("DELETE", "/v1/switches/all")
        says = "2 carry our mark from acts that this journal does not hold: r30/A, r31/A"
        await w.in_state("dns_zones", "example-org", "HELD", says)
        await w.looked("dns_zone", "example-org", 4)
        assert w.effects() == []
        assert (await w.plane.decide(await w.plane.held_plan(), "approve")).status == 200
        await w.all_ready("dns_zones", 1)
        assert counted(w.effects()) == {"r30": 1, "r31": 1}


@pytest.mark.timeout(120)
async def test_a_plain_restart_after_kill_9_is_not_frozen_and_loses_nothing(tmp_path: Path) -> None:
    port, wanted = free_port(), 200
    async with sim_process(tmp_path) as sim:
        process = await start_up(tmp_path, port)
        async with reached(tmp_path, process) as old:
            await old.declare([*setting(sim.url), zone(), *records(range(wanted))])
            await asyncio.sleep(1.5)
            await process.kill()
        process = await start_up(tmp_path, port)
        try:
            async with reached(tmp_path, process) as again:

                async def ready() -> bool:
                    found = await again.every("dns_records")
                    return len(found) == wanted and all(map(is_ready, found))

                await until(ready, f"{wanted} records READY", again.story)
                assert (await again.good("GET", "/v1/switches"))["items"] == []
        finally:
            await process.kill()
        assert "paused" not in process.output.read_text()


async def test_a_copy_of_the_folder_is_frozen_once_and_the_original_goes_on(
    tmp_path: Path, cloud: Cloud
) -> None:
    original, copied = tmp_path / "original", tmp_path / "copied"
    async with plane(cloud, original) as w:
        await w.plane.declare(everything(range(0), range(3), cloud[1]))
        await w.all_ready("dns_records", 3)
        shutil.copytree(original, copied)
        async with plane(cloud, copied) as other:
            frozen = await switch(other)
            assert (frozen["mode"], frozen["by"]) == ("observe", "setpoint")
            assert "this database is a copy" in frozen["reason"]
            await other.plane.declare([record(7)])
            await other.in_state("dns_records", "r7", "HELD", "this database is a copy")
        assert await switch(w) is None
        await w.plane.declare([record(3)])
        await w.all_ready("dns_records", 4)
        assert counted(w.effects("create", "rrset")) == {f"r{number}": 1 for number in range(4)}
    async with plane(cloud, copied) as other:
        await other.plane.good("DELETE", "/v1/switches/all")
    async with plane(cloud, copied) as other:
        assert await switch(other) is None
    async with plane(cloud, original) as w:
        assert await switch(w) is None


async def test_a_folder_that_was_moved_is_not_frozen(tmp_path: Path, cloud: Cloud) -> None:
    async with plane(cloud, tmp_path / "here") as w:
        await w.plane.declare(everything(range(0), range(2), cloud[1]))
        await w.all_ready("dns_records", 2)
    (tmp_path / "here").rename(tmp_path / "there")
    async with plane(cloud, tmp_path / "there") as w:
        assert await switch(w) is None
        await w.plane.declare([record(2)])
        await w.all_ready("dns_records", 3)


async def test_an_old_database_put_back_in_place_is_frozen_once(tmp_path: Path, cloud: Cloud) -> None:
    data, old = tmp_path / "data", tmp_path / "old.db"
    async with plane(cloud, data) as w:
        await w.plane.declare(everything(range(0), range(2), cloud[1]))
        await w.all_ready("dns_records", 2)
    shutil.copyfile(data / "setpoint.db", old)
    async with plane(cloud, data) as w:
        await w.plane.declare([record(2)])
        await w.all_ready("dns_records", 3)
    inode = (data / "setpoint.db").stat().st_ino
    shutil.copyfile(old, data / "setpoint.db")
    assert (data / "setpoint.db").stat().st_ino == inode
    async with plane(cloud, data) as w:
        frozen = await switch(w)
        assert (frozen["mode"], frozen["by"]) == ("observe", "setpoint")
        assert "put back to an older state" in frozen["reason"]
        held = await w.in_state("dns_zones", "example-org", "HELD", "put back to an older state")
        assert [one["item"] for one in held["status"]["facts"]["unknown"]] == ["r2/A"]
        await w.plane.good("DELETE", "/v1/switches/all")
    async with plane(cloud, data) as w:
        assert await switch(w) is None
        assert w.effects("delete") == []


async def test_what_a_person_stopped_stays_stopped_after_a_restore(tmp_path: Path, cloud: Cloud) -> None:
    path, data = tmp_path / "backup.gz", tmp_path / "data"
    async with plane(cloud, data) as w:
        await w.plane.good("PUT", "/v1/switches/all", {"mode": "stop", "reason": "a storm"})
        await saved(path, data)
    await restored(path, data, "--replace")
    assert len(list(data.glob("setpoint.db.before-restore-*"))) == 1
    async with plane(cloud, data) as w:
        stopped = await switch(w)
        assert (stopped["mode"], stopped["by"]) == ("stop", "restore")
        assert stopped["reason"].startswith("restored from a backup of ")
        assert stopped["reason"].endswith("(before: stop by administrator: a storm)")


async def test_a_backup_of_one_machine_goes_on_in_postgresql(tmp_path: Path, cloud: Cloud) -> None:
    path, old, new = tmp_path / "backup.gz", tmp_path / "old", tmp_path / "new"
    url = await postgres.emptied()
    async with plane(cloud, old) as w:
        await w.plane.declare(everything(range(2), range(3), cloud[1]))
        await converged(w, 2, 3)
        await saved(path, old)
    said: list[str] = []
    assert await asyncio.to_thread(restore, [str(path), "--database", url], {}, said.append) == 0, said
    refused = await asyncio.to_thread(restore, [str(path), "--database", url], {}, said.append)
    assert (refused, "the database is not empty" in said[-1]) == (1, True)
    async with control_plane(new, intervals=SOON, database=url, allow_unsafe_database=True) as (there, run):
        w = World(*cloud, there, run)
        w.mark()
        frozen = await switch(w)
        assert (frozen["mode"], frozen["by"]) == ("observe", "restore")
        await w.plane.good("DELETE", "/v1/switches/all")
        await w.passes("host", 4)
        await converged(w, 2, 3)
        assert w.effects() == []
        await w.plane.declare([record(3)])
        await w.all_ready("dns_records", 4)
        assert (await w.plane.good("GET", f"{ORGANIZATION}/audit:verify"))["intact"] is True
