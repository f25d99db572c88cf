"""`setpoint version`: what runs here. Nothing is asked of the API."""

import argparse
from collections.abc import Mapping
from typing import Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.release import facts, line
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session

EXAMPLES: Final[Mapping[str, str]] = {"version": "  setpoint version\n  setpoint version -o json"}


def flags(parser: Parser, verb: str) -> None:
    """None of its own."""


def run(session: Session, args: argparse.Namespace) -> int:
    if session.screen.format in PLAIN:
        session.screen.data(line())
    else:
        show(session.screen, facts())
    return Exit.DONE
