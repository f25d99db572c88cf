"""The migrator: numbered files, each with its way back; the database says how far it is."""

from pathlib import Path
from typing import Final

from setpoint.engine.errors import Denied, Rejected
from setpoint.storage.migration import Migration, check_known, steps_in
from setpoint.storage.postgres.connection import Address, Session
from setpoint.storage.postgres.failure import ERRORS, failure

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 5_361_746_706_912  # Any number that nobody else locks.
_TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
_BEGIN: Final = f"""
BEGIN;
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = '60s';
SELECT pg_advisory_xact_lock({_LOCK});
SET LOCAL lock_timeout = '2s';
"""
_UP: Final = """
CREATE TABLE IF NOT EXISTS schema_version (number integer PRIMARY KEY, name text NOT NULL);
{up}
INSERT INTO schema_version (number, name) VALUES ({number}, '{name}');
COMMIT;
"""
_DOWN: Final = """
{down}
DELETE FROM schema_version WHERE number = {number};
COMMIT;
"""


async def pending(url: str, source: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """The steps `up` would take in this database; nothing is touched."""
    async with Address(url).session() as session:
        return await _pending(session, steps_in(source))


async def up(url: str, source: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """Take every pending step, each whole or not at all; returns those that were ours to take."""
    steps = steps_in(source)
    taken: list[Migration] = []
    async with Address(url).session() as session:
        while left := await _pending(session, steps):
            await session.execute(_BEGIN)
            # Another starter may have taken it while we waited for the lock.
            if left == await _pending(session, steps):
                await _run(
                    session, left[0], _UP.format(up=left[0].up, number=left[0].number, name=left[0].name)
                )
                taken.append(left[0])
            else:
                await session.execute("ROLLBACK")
    return tuple(taken)


async def down(url: str, source: Path = MIGRATIONS) -> Migration | None:
    """Take back the last step; returns it, or None when there is none."""
    steps = steps_in(source)
    async with Address(url).session() as session:
        await session.execute(_BEGIN)
        version = await _version(session, len(steps))
        if version == 0:
            await session.execute("ROLLBACK")
            return None
        step = steps[version - 1]
        await _run(session, step, _DOWN.format(down=step.down, number=step.number))
        return step


async def _pending(session: Session, steps: tuple[Migration, ...]) -> tuple[Migration, ...]:
    return steps[await _version(session, len(steps)) :]


async def _version(session: Session, newest: int) -> int:
    """How far this database is; refused if that is further than this code knows."""
    tables = [name for (name,) in await session.fetch(_TABLES)]
    if "schema_version" not in tables:
        if tables:
            raise Rejected(f"the database is one of something else: it has {', '.join(tables)}")
        return 0
    version: int = await session.fetchval("SELECT coalesce(max(number), 0) FROM schema_version")
    check_known("the database", version, newest, "a backup from before")
    return version


async def _run(session: Session, step: Migration, script: str) -> None:
    try:
        await session.execute(script)
    except ERRORS as error:
        await session.execute("ROLLBACK")
        what = f"step {step.title} failed, nothing was changed"
        told = failure(error, what)
        if isinstance(told, Denied):
            raise Denied(f"{told}; let the owner of the database run `setpoint migrate`") from error
        raise (Rejected(f"{what}: {error}") if told is error else told) from error
