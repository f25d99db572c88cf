"""`setpoint loops`: how often each kind is looked at, what wakes it, and how its objects stand."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.listing import SYMBOLS, painted
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.text import duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {"loops": "  setpoint loops\n  setpoint loops -o json"}
HEADINGS: Final = ("KIND", "EVERY", "LAST PASS", "OBJECTS", "STATES", "WAKES ON")


def flags(parser: Parser, verb: str) -> None:
    """None of its own."""


def run(session: Session, args: argparse.Namespace) -> int:
    found = session.client.loops()
    if session.screen.format not in PLAIN:
        show(session.screen, listed(found))
        return Exit.DONE
    columns = [Column(heading, gives=heading == HEADINGS[-1]) for heading in HEADINGS]
    for line in painted(session.screen, columns, [_row(loop) for loop in found]):
        session.screen.data(line)
    return Exit.DONE


def _row(loop: Mapping[str, AnyJson]) -> tuple[str, ...]:
    every, usual = loop.get("every"), loop.get("default_every")
    words = duration(every) if every is not None else ""
    if every is not None and usual is not None and every != usual:
        words += f" (usually {duration(usual)})"
    states = loop.get("states") or {}
    wakes = ", ".join(f"{on.get('event')} of {on.get('of')}" for on in loop.get("on") or ())
    return (
        str(loop.get("kind")),
        words,
        _last_pass(loop),
        str(loop.get("entities", 0)),
        ", ".join(f"{states[state]} {state}" for state in SYMBOLS if states.get(state)),
        wakes,
    )


def _last_pass(loop: Mapping[str, AnyJson]) -> str:
    """How long ago, or what is wrong where that is too long."""
    at = seconds_of(loop.get("last_pass"))
    return str(loop.get("stale") or "") or (f"{duration(now() - at)} ago" if at is not None else "")
