"""`setpoint plan`: reads only. With files: what they would change. Without: which plans wait for a person."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.expand import declarations_in
from setpoint.cli.flags import Parser
from setpoint.cli.held import show_contested
from setpoint.cli.listing import painted
from setpoint.cli.outline import Outline, counted, lines
from setpoint.cli.output import listed, show
from setpoint.cli.ownership import owner_for, tell_ownership
from setpoint.cli.proposal import proposals
from setpoint.cli.rehearsal import rehearsed
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.text import duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "plan": """\
  setpoint plan                                    held plans that wait for a person
  setpoint plan -f shop.yaml                       what this file would change
  setpoint plan -f dns/ --prune --owner dns        including what it no longer mentions
  setpoint plan -f shop.yaml --full -o json

exit codes: 0 in step, 1 something in it is FAILED, 3 something would change,
  4 something is held or would be"""
}


def flags(parser: Parser, verb: str) -> None:
    add_files(parser, required=False)
    parser.add_argument("--full", action="store_true", help="every change on a line of its own")


def add_files(parser: Parser, *, required: bool) -> None:
    """The flags of everything that declares, or asks what declaring would do."""
    add_sources(parser, required=required)
    parser.add_argument("--prune", action="store_true", help="withdraw what the owner no longer mentions")
    parser.add_argument(
        "--owner", metavar="NAME", help="whose they are; default: the name of the file or folder"
    )


def add_sources(parser: Parser, *, required: bool) -> None:
    """The flags of everything that reads declarations."""
    parser.add_argument(
        "-f",
        "--file",
        action="append",
        default=[],
        required=required,
        metavar="FILE",
        help="a file, a folder, or - for stdin; may be repeated",
    )
    parser.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value for a variable of the files; may be repeated",
    )


def run(session: Session, args: argparse.Namespace) -> int:
    if not args.file:
        return _waiting(session)
    files = declarations_in(session, args)
    asked = proposals(session, files, owner_for(args, files), prune=args.prune)
    found = rehearsed(session, files, asked)
    if session.screen.format in PLAIN:
        for answer in found:
            for line in lines(answer.outline, session.screen, full=args.full):
                session.screen.data(line)
            tell_ownership(session.screen, answer.ownership, args)
    else:
        show(session.screen, found[0].body if len(found) == 1 else listed([one.body for one in found]))
    return exit_for([answer.outline for answer in found])


def exit_for(outlines: Sequence[Outline]) -> Exit:
    if any(outline.held for outline in outlines):
        return Exit.HELD
    if not all(outline.changes_nothing for outline in outlines):
        return Exit.PENDING
    return Exit.FAILED if any(outline.troubled for outline in outlines) else Exit.DONE


def _waiting(session: Session) -> int:
    plans = session.client.plans(session.organization, "held")
    contested = session.client.contested(session.organization)
    if session.screen.format not in PLAIN:
        show(session.screen, listed(plans) | ({"contested": contested} if contested else {}))
    elif plans:
        columns = [
            Column("PLAN"),
            Column("OBJECT"),
            Column("AGE"),
            Column("WOULD", gives=True),
            Column("WHY"),
        ]
        for line in painted(session.screen, columns, [_row(plan) for plan in plans]):
            session.screen.data(line)
        session.screen.say(f"  next: setpoint describe plan {plans[0]['id']}")
    else:
        session.screen.say(f"No plan waits for a person in {session.organization}.")
        session.screen.say("  next: setpoint plan -f FILE    shows what a file would change")
    if session.screen.format in PLAIN:
        show_contested(session.screen, contested)
    return Exit.HELD if plans or contested else Exit.DONE


def _row(plan: Mapping[str, AnyJson]) -> tuple[str, ...]:
    made = seconds_of(plan.get("created_at"))
    would = counted(plan.get("changes") or {}) or "nothing to change"
    why = "; ".join(str(hold.get("message", "")) for hold in plan.get("holds") or ())
    age = duration(now() - made) if made is not None else ""
    return str(plan["id"]), f"{plan.get('kind')}/{plan.get('name')}", age, would, why
