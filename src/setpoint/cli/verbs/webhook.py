"""`setpoint webhook`: what was told to somebody else's server, and how to tell it once more."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser, add_limit
from setpoint.cli.listing import painted
from setpoint.cli.output import first_of, listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "webhook": "  setpoint webhook deliveries NAME\n  setpoint webhook redeliver NAME DELIVERY"
}
HEADINGS: Final = ("DELIVERY", "EVENT", "TYPE", "STATE", "SAID")


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", choices=("deliveries", "redeliver"))
    parser.add_argument("name", metavar="NAME", help="of the webhook")
    parser.add_argument("delivery", nargs="?", metavar="DELIVERY", help="the one to make once more")
    add_limit(parser, 50, "at most so many (50)")


def run(session: Session, args: argparse.Namespace) -> int:
    client, organization, screen = session.client, session.organization, session.screen
    if args.what == "redeliver":
        if not args.delivery:
            raise Stop("say which delivery", next_steps=(f"setpoint webhook deliveries {args.name}",))
        told = client.redeliver(organization, args.name, args.delivery)
        if screen.format not in PLAIN:
            show(screen, told)
        else:
            screen.data(f"~ {told['event']} is told to {args.name} once more")
            screen.say(f"  next: setpoint operations {told['id']} --wait")
        return Exit.DONE
    return _deliveries(session, args)


def _deliveries(session: Session, args: argparse.Namespace) -> int:
    screen = session.screen
    deliveries = session.client.deliveries(session.organization, args.name)
    found, more = first_of(deliveries, args.limit, f"setpoint webhook deliveries {args.name}")
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(f"Nothing was told to {args.name} yet.")
    else:
        columns = [Column(heading, gives=heading == "SAID") for heading in HEADINGS]
        keys = ("id", "event", "type", "state", "message")
        rows = [tuple(str(each.get(key) or "") for key in keys) for each in found]
        for line in painted(screen, columns, rows):
            screen.data(line)
        if more:
            screen.say(more)
    return Exit.DONE
