"""`setpoint sessions`: where somebody is signed in, and the end of it."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, said, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.text import clean, duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "sessions": "  setpoint sessions\n  setpoint sessions end 1m7hrjy8s005dwdw7j1g"
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", nargs="?", default="list", metavar="list|end", help="what to do")
    parser.add_argument("session", nargs="?", metavar="ID", help="which one to end")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what == "end":
        return _end(session, args)
    if args.what != "list":
        raise Stop(f"there is no sessions {args.what!r}", Exit.USAGE, ("setpoint sessions --help",))
    found, screen = session.identity.sessions(), session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
        return Exit.DONE
    headings = ("SESSION", "BEGAN", "USED", "ENDS IN", "ADDRESS", "DEVICE")
    columns = [Column(heading, gives=heading == "DEVICE") for heading in headings]
    for line in painted(screen, columns, [_row(each) for each in found]):
        screen.data(line)
    return Exit.DONE


def _end(session: Session, args: argparse.Namespace) -> int:
    if not args.session:
        raise Stop("say which one, by its id", Exit.USAGE, ("setpoint sessions",))
    gone = session.identity.end_session(args.session)
    said(session.screen, clean(f"session {gone['id']} opens nothing any more"), gone)
    return Exit.DONE


def _row(found: Mapping[str, AnyJson]) -> tuple[str, ...]:
    began, used, ends = (seconds_of(found.get(key)) for key in ("created_at", "seen_at", "expires_at"))
    here = f"{found['id']} *" if found.get("current") else str(found["id"])
    ago = [f"{duration(now() - at)} ago" if at is not None else "" for at in (began, used)]
    left = duration(ends - now()) if ends is not None and ends > now() else "over"
    return (here, *ago, left, str(found.get("address") or ""), str(found.get("device") or ""))
