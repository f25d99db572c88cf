"""`setpoint backup` and `setpoint restore`: a whole installation into one file, and back, into any store."""

import argparse
import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from setpoint import system
from setpoint.drive.newest import NAME as NEWEST
from setpoint.drive.shipping import NAME as CHECKPOINTS
from setpoint.engine.errors import FAILURES, Rejected
from setpoint.settings import BadSettings, Settings, read_settings
from setpoint.storage.backup import Backup, Writing, first_change, placeless, rows_in, verified
from setpoint.storage.sqlite import archive
from setpoint.storage.sqlite.migrate import DATABASE

FAILED: Final = 1
USAGE: Final = 2
NOT_IN_IT: Final = "not in it: the keys (*.key), secrets and admin.token; keep a copy of those elsewhere"
Say = Callable[[str], None]

_BACKUP: Final = """\
examples:
  setpoint backup /backups/monday.gz --data /var/lib/setpoint
  setpoint backup /backups/monday.gz --database postgresql://setpoint@db/setpoint
  setpoint backup --verify /backups/monday.gz

It works while the control plane runs: all that it holds is of one moment, and it is read back before it
gets its name. Not in it: master.key, without which no sealed secret opens, the secrets folder and
admin.token. Keep a copy of those elsewhere: together with a backup they open everything.
"""
_RESTORE: Final = """\
examples:
  setpoint restore /backups/monday.gz --data /var/lib/setpoint
  setpoint restore /backups/monday.gz --data /var/lib/setpoint --replace
  setpoint restore /backups/monday.gz --database postgresql://setpoint@db/empty

A restored control plane begins frozen: it looks, and changes nothing. It lists what is newer than the
backup; nothing of that is deleted. When you have seen it: setpoint adopt …, then setpoint resume --all.
"""


def backup(argv: list[str], environment: Mapping[str, str], say: Say) -> int:
    """Everything there is, in one file; or, with --verify, whether a file is whole."""
    parser = _parser("backup", "Write everything that is declared, known and proven into one file.", _BACKUP)
    parser.add_argument("--verify", action="store_true", help="only read FILE and say whether it is whole")
    flags = vars(parser.parse_args(argv))
    path, only_verify = flags.pop("file"), flags.pop("verify")

    def run(settings: Settings) -> None:
        if only_verify:
            say(f"{path} is whole: {_told(verified(path))}")
            return
        began = system.monotonic()
        found = _written(path, settings)
        size = path.stat().st_size
        say(f"{path}: {_told(found)}; {size:,} bytes in {system.monotonic() - began:.1f} s")
        say(NOT_IN_IT)
        say(f"next: setpoint backup --verify {path}")

    return _ended(run, environment, flags, say)


def restore(argv: list[str], environment: Mapping[str, str], say: Say) -> int:
    """The store of a backup, frozen until a person has seen what is newer."""
    parser = _parser("restore", "Fill an empty store from a backup; it begins frozen.", _RESTORE)
    parser.add_argument("--replace", action="store_true", help="move a SQLite database that is there aside")
    flags = vars(parser.parse_args(argv))
    path, replaces = flags.pop("file"), flags.pop("replace")

    def run(settings: Settings) -> None:
        found = verified(path)
        moved = _restored(path, found, settings, replaces=replaces)
        say(f"restored {_told(found)}")
        if moved is not None:
            say(f"the database that was there is now {moved}")
        say("it is frozen: it looks, and changes nothing until you resume")
        if not (Path(settings.data) / "admin.token").exists():
            say(f"put the keys (*.key), the secrets folder and admin.token back into {settings.data}")
        say(f"next: setpoint up --data {settings.data}")

    return _ended(run, environment, flags, say)


def _written(path: Path, settings: Settings) -> Backup:
    with Writing(path, system.now()) as writing:
        if settings.database:
            from setpoint.storage.postgres.archive import every_row  # noqa: PLC0415 - not all have asyncpg

            asyncio.run(every_row(settings.database, writing.put))
        else:
            for table, body in archive.every_row(Path(settings.data)):
                writing.put(table, body)
        return writing.finish()


def _restored(path: Path, found: Backup, settings: Settings, *, replaces: bool) -> Path | None:
    """Where the database is now that stood in its place, if one did."""
    now = system.now()
    rows, last = placeless(rows_in(path)), first_change(found, now)
    if settings.database:
        if replaces:
            raise Rejected("--replace moves a SQLite file aside; for PostgreSQL make an empty database")
        from setpoint.storage.postgres.archive import restore as fill  # noqa: PLC0415 - as above

        asyncio.run(fill(settings.database, rows, last))
        return None
    folder = Path(settings.data)
    if (folder / DATABASE).exists() and not replaces:
        command = f"setpoint restore {path} --data {folder} --replace"
        raise Rejected(f"{folder} has a database already; nothing was changed. To move it aside: {command}")
    moment = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H-%M-%S")
    aside = f"{DATABASE}.before-restore-{moment}" if replaces else ""
    moved = archive.restore(folder, rows, last, aside=aside)
    # It told of the database that was here; a start would take the restored one for an older state of it.
    (folder / NEWEST).unlink(missing_ok=True)
    # So did the checkpoints of its audit: they are kept with it, and a cut chain is told from a restored one.
    if (folder / CHECKPOINTS).exists():
        (folder / CHECKPOINTS).rename(folder / f"{CHECKPOINTS}.before-restore-{moment}")
    return moved


def _told(found: Backup) -> str:
    taken = datetime.fromtimestamp(found.header.taken_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    counts = found.counts
    return (
        f"{found.rows:,} rows of installation {found.header.installation}, taken {taken} UTC: "
        f"objects {counts.get('declared', 0):,}, acts {counts.get('act', 0):,}, "
        f"audit chains {found.chains}, all intact"
    )


def _parser(verb: str, about: str, epilog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"setpoint {verb}",
        description=about,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup")
    parser.add_argument("--data", metavar="DIR", help="the data folder, with the SQLite database")
    parser.add_argument("--database", metavar="URL", help="postgresql://… instead of SQLite")
    return parser


def _ended(
    run: Callable[[Settings], None], environment: Mapping[str, str], flags: Mapping[str, object], say: Say
) -> int:
    """One command to its exit code; what goes wrong is one sentence."""
    try:
        run(read_settings(environment, flags))
    except BadSettings as error:
        say(f"these settings are wrong:\n{error}")
        return USAGE
    except (*FAILURES, OSError) as error:
        say(f"error: {error}")
        return FAILED
    return 0
