"""`setpoint organization standing`: how an organization stands with whoever runs the installation."""

import argparse
from collections.abc import Mapping
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean
from setpoint.client.address import Scope
from setpoint.client.people import People

EXAMPLES: Final[Mapping[str, str]] = {
    "organization": """\
  setpoint organization standing acme
  setpoint organization standing acme --verification verified --reason "papers checked"
  setpoint organization standing acme --state inactive --reason unpaid"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="standing", help="what to do")
    parser.add_argument("name", nargs="?", help="which organization")
    parser.add_argument("--verification", help="in_setup, verified, pending, blocked or waitlist")
    parser.add_argument("--state", help="active, inactive or deleted")
    parser.add_argument("--reason", default="", help="why, as others will read it")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what != "standing":
        raise Stop(f"there is no organization {args.what!r}", Exit.USAGE, ("setpoint organization --help",))
    people = People(session.client, Scope(args.name or session.organization))
    said = {"verification": args.verification, "state": args.state}
    wanted = {key: value for key, value in said.items() if value}
    found = people.say_standing({**wanted, "reason": args.reason}) if wanted else people.standing()
    if session.screen.format not in PLAIN:
        show(session.screen, found)
        return Exit.DONE
    why = f": {found['reason']}" if found["reason"] else ""
    by = f" (said by {found['by']})" if found["by"] else ""
    session.screen.data(
        clean(f"{found['organization']} is {found['verification']} and {found['state']}{why}{by}")
    )
    return Exit.DONE
