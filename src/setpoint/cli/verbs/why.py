"""`setpoint why`: one sentence, then the chain, then the commands that lead on."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.text import clean

EXAMPLES: Final[Mapping[str, str]] = {
    "why": """\
  setpoint why host/web-1
  setpoint why dns_zone example-org -p shop
  setpoint why host web-1 -o json"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND NAME", help="also KIND/NAME")


def run(session: Session, args: argparse.Namespace) -> int:
    kind, name = session.catalogue.one(args.words, "why")
    found = session.object(kind, name)
    told = session.client.why(kind, found.scope, found.name)
    if session.screen.format in PLAIN:
        for line in lines(told, session.screen):
            session.screen.data(line)
    else:
        show(session.screen, told)
    return Exit.DONE


def lines(told: Mapping[str, Any], screen: Screen) -> list[str]:
    """The answer laid out; the words are the server's."""
    chain = [f"  {clean(str(link))}" for link in told.get("chain") or ()]
    steps = [f"  next: {clean(str(step))}" for step in told.get("next") or ()]
    return [screen.paint(clean(str(told.get("sentence", ""))), "heading"), *chain, *steps]
