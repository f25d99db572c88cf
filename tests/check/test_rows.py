"""`setpoint check` finds rows that cannot be read, by table and key."""

import sqlite3
from contextlib import closing
from pathlib import Path

from conformance.store_rows import puts, zone
from setpoint.check import sqlite as checked
from setpoint.check.finding import Level, Site
from setpoint.settings import read_settings
from setpoint.storage.sqlite import open_sqlite


async def test_an_unreadable_row_is_found_with_its_cure(tmp_path: Path) -> None:
    site = Site(read_settings({}, {"data": str(tmp_path)}), {}, "", lambda: 0.0, lambda: 0.0)
    assert checked.unreadable(site).level is Level.OK
    store = await open_sqlite(tmp_path)
    await store.commit(puts(zone("1"), zone("2", name="b")))
    await store.close()
    assert checked.unreadable(site).said == "all can be read"
    with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database, database:
        database.execute("UPDATE declared SET body = ? WHERE ref = 'zone/2'", (b"{",))
    found = checked.unreadable(site)
    assert found.level is Level.FAIL
    assert "1 row cannot be read: zone/2 of table declared" in found.said
    assert "setpoint restore" in found.cure
