"""`setpoint rotate-keys`: the keys of organizations, or the master key. Whatever ends it, run it again."""

import argparse
import asyncio
import getpass
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from setpoint import system
from setpoint.engine.entity import Declared, Scope, slot
from setpoint.engine.errors import FAILURES, Missing
from setpoint.engine.store import DECLARED_AT, ORGANIZATIONS, Store
from setpoint.settings import BadSettings, Settings, read_settings
from setpoint.storage.sqlite import open_sqlite
from setpoint.up import opened
from setpoint.vault.keyring import Keyring
from setpoint.vault.master import MasterFile, master_file
from setpoint.vault.rotation import Rotation

FAILED: Final = 1
USAGE: Final = 2
AT_ONCE: Final = 200
Say = Callable[[str], None]
_EXAMPLES: Final = """\
examples:
  setpoint rotate-keys --data /var/lib/setpoint                       every organization
  setpoint rotate-keys --organization acme --data /var/lib/setpoint
  setpoint rotate-keys --master /root/new.key --data /var/lib/setpoint

It works while the control plane runs. A key that --master does not find is made there. Keep the master key
apart from backups: together they open every secret, and without it none.
"""


def rotate_keys(argv: list[str], environment: Mapping[str, str], say: Say) -> int:
    """New keys, and everything sealed or wrapped by them; what was begun before is finished first."""
    parser = argparse.ArgumentParser(
        prog="setpoint rotate-keys",
        description="Change the keys that secrets are kept under.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--organization", metavar="NAME", help="only this one; default: all of them")
    which.add_argument(
        "--master", type=Path, metavar="NEWFILE", help="the master key instead, from this file"
    )
    parser.add_argument(
        "--lost", action="store_true", help="with --master: the old one is gone, and so is all it sealed"
    )
    parser.add_argument("--data", metavar="DIR", help="the data folder, with the SQLite database")
    parser.add_argument("--database", metavar="URL", help="postgresql://… instead of SQLite")
    flags = vars(parser.parse_args(argv))
    name, master, lost = flags.pop("organization"), flags.pop("master"), flags.pop("lost")
    if lost and master is None:
        parser.error("--lost says that the master key is gone: name the new one with --master")
    try:
        asyncio.run(_rotate(read_settings(environment, flags), (name, master, lost), say))
    except BadSettings as error:
        say(f"these settings are wrong:\n{error}")
        return USAGE
    except (*FAILURES, OSError) as error:
        say(f"error: {error}")
        say("nothing is lost: mend this and run it again")
        return FAILED
    return 0


async def _rotate(settings: Settings, asked: tuple[str | None, Path | None, bool], say: Say) -> None:
    name, master, lost = asked
    folder = Path(settings.data)
    # Beside a control plane that runs: this one changes keys and enforces nothing.
    store = await opened(settings) if settings.database else await open_sqlite(folder, enforcing=False)
    try:
        file = master_file(settings)
        rotation = Rotation(store, Keyring(file), system.now, getpass.getuser())
        if master is not None:
            new = (MasterFile(master).known() or (MasterFile(master).begin(),))[0]
            done = await (rotation.lost if lost else rotation.master)(new)
            became = (
                "were forgotten, with all they sealed: set those secrets again"
                if lost
                else "were wrapped anew"
            )
            say(f"master key {new.id} is in force; {done} keys {became}")
            say(f"it is in {file.path}: give it to every worker and scheduler")
            say("keep a copy of it apart from backups")
            return
        await rotation.unfinished()
        for organization in await _chosen(store, name):
            version = await rotation.organization(organization)
            say(f"{organization.name}: key {version} is in force, and everything is sealed with it")
    finally:
        await store.close()


async def _chosen(store: Store, name: str | None) -> list[Declared]:
    if name is not None:
        found = await store.read(DECLARED_AT, slot=slot("organization", Scope(), name))
        if not found:
            raise Missing(f"there is no organization {name}")
        return found
    every: list[Declared] = []
    while page := await store.read(ORGANIZATIONS, after=every[-1].ref if every else "", limit=AT_ONCE):
        every += page
    return every
