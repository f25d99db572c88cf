"""One row that a disk or a hand broke: its own zone waits, others converge, and nothing is deleted."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres

from .conftest import STORES
from .kit import CLOUD_TOKEN, Installation, on_postgres, on_sqlite, send

BROKEN = b'{"broken'
Spoil = Callable[[str, str, bytes], None]


@pytest.fixture(params=STORES)
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Installation, Spoil]]:
    """An installation of its own, and a hand in its database: the column is `table.key`."""
    if request.param == "sqlite":
        with on_sqlite(tmp_path) as found:

            def spoil(column: str, key: str, body: bytes) -> None:
                table, _, name = column.partition(".")
                with closing(sqlite3.connect(found.data / "setpoint.db")) as database, database:
                    sql = f"UPDATE {table} SET body = ? WHERE {name} LIKE ?"  # noqa: S608 - our own words
                    assert database.execute(sql, (body, key)).rowcount

            yield found, spoil
    else:
        url = asyncio.run(postgres.database())
        with on_postgres(tmp_path, url) as found:

            async def spoiled(column: str, key: str, body: bytes) -> None:
                table, _, name = column.partition(".")
                connection = await asyncpg.connect(url)
                sql = f"UPDATE {table} SET body = $1 WHERE {name} LIKE $2"  # noqa: S608 - our own words
                assert await connection.execute(sql, body, key) != "UPDATE 0"
                await connection.close()

            yield found, lambda column, key, body: asyncio.run(spoiled(column, key, body))


def zone(installation: Installation, cloud: str) -> tuple[str, str]:
    """A zone with three records, all in step; the organization and the address of its project."""
    name = installation.organization()
    project = installation.project(name)
    (installation.data / "secrets" / "cloud").write_text(CLOUD_TOKEN)
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    installation.admin.put(f"/v1/organizations/{name}/providers/cloud", spec)
    installation.admin.put(f"{project}/dns_zones/z", {"provider": "cloud", "domain": f"{name}.example"})
    for number in range(3):
        put_record(installation, project, number)
    for number in range(3):
        installation.admin.ready(f"{project}/dns_records/r{number}")
    return name, project


def put_record(installation: Installation, project: str, number: int) -> None:
    spec = {"zone": "z", "name": f"r{number}", "type": "A", "values": ["192.0.2.1"]}
    installation.admin.put(f"{project}/dns_records/r{number}", spec)


def acts(installation: Installation, organization: str) -> list[str]:
    lines = installation.admin.every(f"/v1/organizations/{organization}/audit")
    return [
        f"{each['detail']['verb']} {each['detail']['item']}" for each in lines if each["action"] == "act.done"
    ]


def test_an_unreadable_record_is_not_deleted_and_others_converge(
    own: tuple[Installation, Spoil], cloud: str
) -> None:
    installation, spoil = own
    name, project = zone(installation, cloud)
    other, elsewhere = zone(installation, cloud)
    ref = installation.admin.good("GET", f"{project}/dns_records/r1")["metadata"]["ref"]
    before = acts(installation, name)
    spoil("declared.ref", ref, BROKEN)
    for column, key in (("shard.key", "scheduler%"), ("replica.key", "%")):
        spoil(column, key, BROKEN)
    held = installation.admin.until(
        f"{project}/dns_zones/z", lambda one: "cannot be read" in one["status"]["reason"]
    )
    assert f"the row {ref} of table declared" in held["status"]["reason"]
    put_record(installation, elsewhere, 3)
    installation.admin.ready(f"{elsewhere}/dns_records/r3")
    assert acts(installation, name) == before
    assert "delete r1/A" not in acts(installation, other)
    assert installation.nobody.get("/livez").status == 200
    listed = installation.admin.every(f"{project}/dns_records")
    assert [each["metadata"]["name"] for each in listed] == ["r0", "r2"]
    counted = [send(url, "GET", "/metrics", None, {}).raw for url in installation.admin.urls]
    assert any(b'setpoint_unreadable_rows{table="declared"}' in each for each in counted)
    assert all(process.poll() is None for process in installation.processes)
