"""`setpoint version`: what runs here. Nothing is asked of the API."""

import argparse
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session

EXAMPLES: Final[Mapping[str, str]] = {"version": "  setpoint version\n  setpoint version -o json"}


def flags(parser: Parser, verb: str) -> None:
    """None of its own."""


def run(session: Session, args: argparse.Namespace) -> int:
    found = {"version": version("setpoint"), "python": platform.python_version()}
    if session.screen.format in PLAIN:
        session.screen.data(f"setpoint {found['version']} (Python {found['python']})")
    else:
        show(session.screen, found)
    return Exit.DONE
