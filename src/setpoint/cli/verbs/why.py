"""`setpoint why`: one sentence, then the chain, then the commands that lead on."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.text import clean, folded

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
    said = folded(clean(str(told.get("sentence", ""))), screen.columns, 2)
    chain = [
        line
        for link in told.get("chain") or ()
        for line in folded(f"  {clean(str(link))}", screen.columns, 4)
    ]
    steps = [f"  next: {clean(str(step))}" for step in told.get("next") or ()]
    return [*(screen.paint(line, "heading") for line in said), *chain, *steps]
