"""`setpoint outbox`: letters to people, for whoever administers the installation to hand on."""

import argparse
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean, duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {"outbox": "  setpoint outbox\n  setpoint outbox --all"}
NEWEST: Final = 20


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("--all", action="store_true", help="also those whose link was used or has run out")


def run(session: Session, args: argparse.Namespace) -> int:
    found = [each for each in session.identity.letters() if args.all or each.get("link")]
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
        return Exit.DONE
    for letter in islice(found, None if args.all else NEWEST):
        for line in _lines(letter):
            screen.data(line)
    if not found:
        screen.say("No letter waits to be handed on.")
    elif any(each.get("link") for each in found):
        screen.say("Whoever opens such a link has the account: hand each to its person, and to nobody else.")
    return Exit.DONE


def _lines(letter: Mapping[str, AnyJson]) -> list[str]:
    at, ends = seconds_of(letter.get("created_at")), seconds_of(letter.get("expires_at"))
    ago = f", {duration(now() - at)} ago" if at is not None else ""
    lines = [clean(f"{letter['to']}  {letter['subject']}{ago}"), clean(f"  {letter['text']}")]
    if letter.get("link") and ends is not None:
        return [*lines, clean(f"  {letter['link']}"), f"  for another {duration(ends - now())}"]
    return [*lines, "  its link was used, or has run out"]
