"""`setpoint release` and `setpoint protect`: a person's word about one item of an object."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.target import Target, target_of
from setpoint.cli.text import clean, folded

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "release": """\
  setpoint release dns_zone example-org www/A --reason "the other tool is gone"
  setpoint release dns_zone/example-org              everything that is contested or slow
  setpoint release dns_zone example-org www/A --protection --reason "no longer needed"
  setpoint release dns_zone example-org --protection --reason "moved away"    the zone's own""",
    "protect": """\
  setpoint protect dns_zone example-org www/A --reason "the shop depends on it"
  setpoint protect dns_zone example-org --reason "the shop depends on it"     all of it""",
}
AFTERWARDS: Final[Mapping[str, str]] = {
    "released": "it is tried anew",
    "protected": "no path deletes it",
    "unprotected": "the other guards decide about it",
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument(
        "words", nargs="+", metavar="KIND NAME [ITEM]", help="also KIND/NAME; items are named by why"
    )
    parser.add_argument("--reason", required=verb == "protect", help="why; kept in the audit")
    if verb == "release":
        parser.add_argument(
            "--protection",
            action="store_true",
            help="take its protection off: the item's, or without one the object's own",
        )


def run(session: Session, args: argparse.Namespace) -> int:
    target = target_of(session, args.words, args.verb)
    answer = session.client.decide_item(target.kind, target.found, args.verb, _wanted(target, args))
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, answer)
        return Exit.DONE
    title = f"{answer.get('kind')} {answer.get('name')}"
    for each in answer.get("about") or ():
        for line in folded(_sentence(each, title, str(answer.get("decided"))), screen.columns, 2):
            screen.data(line)
    screen.say(f"  next: setpoint why {title}")
    return Exit.DONE


def _wanted(target: Target, args: argparse.Namespace) -> dict[str, AnyJson]:
    wanted: dict[str, AnyJson] = {"reason": args.reason or "released on the command line"}
    if target.item:
        wanted["item"] = target.item
    if args.verb == "release" and args.protection:
        wanted["protection"] = True
    return wanted


def _sentence(about: Mapping[str, AnyJson], title: str, decided: str) -> str:
    why = f" ({about.get('why')})" if about.get("why") else ""
    after = AFTERWARDS.get(decided, "")
    what = title if title.endswith(f" {about.get('item')}") else f"{about.get('item')} of {title}"
    return clean(f"{what} is {decided}{why}" + (f": {after}" if after else ""))
