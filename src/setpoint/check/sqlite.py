"""SQLite in the data folder: new enough, writes reach the disk, and a schema this program knows."""

import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from setpoint.check.finding import Finding, Site, fail, ok, warn
from setpoint.check.folder import nearest
from setpoint.cli.text import plural
from setpoint.engine.errors import FAILURES
from setpoint.engine.tables import TABLES
from setpoint.storage.quarantine import broken
from setpoint.storage.sqlite.connection import connect
from setpoint.storage.sqlite.migrate import DATABASE, pending

OLDEST: Final = (3, 37, 0)
"""The first with STRICT tables."""
SLOW: Final = 0.1
COMMITS: Final = 5


def version(found: tuple[int, int, int] = sqlite3.sqlite_version_info) -> Finding:
    said = ".".join(map(str, found))
    if found < OLDEST:
        return fail("sqlite", f"{said}; 3.37 is needed", "use a Python built with a newer SQLite")
    return ok("sqlite", said)


def writes(site: Site) -> Finding:
    """Real commits to a real file, each on the disk before it counts; then everything is taken away."""
    folder = Path(tempfile.mkdtemp(prefix=".setpoint-check-", dir=nearest(site.folder)))
    try:
        with closing(connect(folder / DATABASE, synchronous="FULL")) as database:
            database.execute("CREATE TABLE probe (number INTEGER NOT NULL PRIMARY KEY) STRICT")
            began = site.monotonic()
            for number in range(COMMITS):
                database.execute("INSERT INTO probe (number) VALUES (?)", (number,))
            seconds = (site.monotonic() - began) / COMMITS
            (kept,) = database.execute("SELECT count(*) FROM probe").fetchone()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return told_of_writes(seconds, kept)


def told_of_writes(seconds: float, kept: int) -> Finding:
    if kept != COMMITS:
        return fail(
            "writing", f"{COMMITS} rows were written and {kept} are there", "--data DIR on another disk"
        )
    said = f"a commit reaches the disk in {seconds * 1000:.1f} ms"
    if seconds > SLOW:
        return warn("writing", f"{said}: slow", "--data DIR on another disk (an SSD takes 1 to 5 ms)")
    return ok("writing", said)


def schema(site: Site) -> Finding:
    """As new as this program, older, or not ours to touch."""
    file = site.folder / DATABASE
    if not file.exists():
        return ok("schema", "nothing there yet; made at the first start")
    try:
        steps = pending(site.folder)
    except FAILURES as error:
        return refused(str(error), "--data DIR")
    if steps:
        said = (
            f"{plural(len(steps), 'step')} behind; the next start takes {'it' if len(steps) == 1 else 'them'}"
        )
        return warn("schema", said, "setpoint migrate --plan")
    return ok("schema", f"{file} is up to date")


def unreadable(site: Site) -> Finding:
    """Every row of every table, decoded as a service would."""
    file = site.folder / DATABASE
    if not file.exists():
        return ok("rows", "none yet")
    found = []
    with closing(connect(file, synchronous="FULL", reads_only=True)) as database:
        there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in (table for table in TABLES.values() if table.name in there):
            sql = f"SELECT {table.key}, body FROM {table.name}"  # noqa: S608 - names of our own table
            rows = database.execute(sql)
            found += [(table.name, str(key)) for key, body in rows if broken(table.row, body)]
    return told_of_rows(found)


def told_of_rows(found: Sequence[tuple[str, str]]) -> Finding:
    if not found:
        return ok("rows", "all can be read")
    named = ", ".join(f"{key} of table {table}" for table, key in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > len(found[:3]) else ""
    said = f"{plural(len(found), 'row')} cannot be read: {named}{more}; nothing is done that rests on them"
    return fail("rows", said, "stop Setpoint, then: setpoint restore BACKUP --data NEW, from before it broke")


def refused(error: str, elsewhere: str) -> Finding:
    """A schema we keep our hands off; what to do about one that is too new is in the words of the store."""
    said, newer, cure = error.partition(": run the newer")
    if newer:
        return fail("schema", said, f"run the newer{cure}")
    return fail("schema", error, f"restore a backup, or {elsewhere}")
