"""`setpoint pause --data DIR` and `setpoint resume --data DIR`: the switch file, without any service."""

import argparse
import getpass
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from setpoint.storage.switch_file import SwitchFile

FAILED: Final = 1
OURS: Final = ("setpoint.running", "setpoint.stopped", "setpoint.db", "admin.token", "secrets")
"""What a data folder of ours has at least one of."""


def halt(verb: str, argv: list[str], say: Callable[[str], None]) -> int:
    """Renames the switch file; no service needs to answer, and none is asked."""
    flags = parser_of(verb).parse_args(argv)
    folder = Path(flags.data)
    if not any((folder / name).exists() for name in OURS):
        say(f"setpoint {verb}: {folder} is no data folder of Setpoint; name the one that `setpoint up` has")
        return FAILED
    file = SwitchFile(folder)
    try:
        if verb == "pause":
            file.stop(f"{_user()} on {socket.gethostname()}", flags.reason)
            say(f"Everything that uses {folder} is stopped: no act begins from now on.")
            say(f"  next: setpoint resume --data {folder}")
        elif file.resume():
            say(f"Resumed: everything that uses {folder}. Before its first delete it looks twice.")
        else:
            say(f"{folder} was not stopped.")
    except OSError as error:
        say(f"setpoint {verb}: {folder} cannot be changed: {error.strerror}")
        return FAILED
    return 0


def parser_of(verb: str) -> argparse.ArgumentParser:
    """What these take after their verb."""
    about = {
        "pause": "Stop everything that uses a data folder, also while no API answers or the disk is full.",
        "resume": "Let everything that uses a data folder go on.",
    }
    parser = argparse.ArgumentParser(prog=f"setpoint {verb}", description=about[verb])
    parser.add_argument("--data", metavar="DIR", required=True, help="the folder that the services have")
    parser.add_argument("--all", action="store_true", help="everything, which is all that a folder knows")
    if verb == "pause":
        parser.add_argument("--reason", default="stopped at the data folder", help="why; kept in the audit")
    return parser


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
