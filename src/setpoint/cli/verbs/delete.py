"""`setpoint delete`: asks for objects to go; they leave when they are confirmed gone."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.follow import Waiting, exit_for, follow
from setpoint.cli.goals import GONE, Goal
from setpoint.cli.held import show_standings
from setpoint.cli.output import listed, show
from setpoint.cli.reading import read
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.client.address import Scope
from setpoint.client.resource import Object

EXAMPLES: Final[Mapping[str, str]] = {
    "delete": """\
  setpoint delete dns_record www-1
  setpoint delete host web-1 web-2 --yes --wait
  setpoint delete project shop --cascade"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND NAME", help="also KIND/NAME")
    parser.add_argument("--cascade", action="store_true", help="with everything inside")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--wait", action="store_true", help="until they are gone")
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="wait at most so long (300)"
    )


def run(session: Session, args: argparse.Namespace) -> int:
    chosen = session.catalogue.select(args.words)
    if not all(selected.names for selected in chosen):
        raise Stop("delete needs a kind and names; nothing is deleted wholesale")
    targets = [session.object(selected.kind, name) for selected in chosen for name in selected.names]
    if not args.yes and not _confirmed(session, targets, cascade=args.cascade):
        session.screen.say("Nothing was deleted.")
        return Exit.PENDING
    if not args.wait:
        return _asked(session, targets, args)
    with session.client.watch(Scope(_organization(session, targets))) as stream:
        _asked(session, targets, args)
        known = {target.ref: target for target in targets}
        goals = [Goal(target.ref, target.title, GONE, target.generation + 1) for target in targets]
        waiting = Waiting(session.screen, stream, lambda missing: read(session, missing, known), args.timeout)
        standings = follow(waiting, goals, known)
    show_standings(session, _organization(session, targets), standings)
    return exit_for(standings)


def _asked(session: Session, targets: Sequence[Object], args: argparse.Namespace) -> int:
    left = [
        session.client.delete(session.kind_of(target), target, cascade=args.cascade) for target in targets
    ]
    if session.screen.format not in PLAIN:
        show(session.screen, listed([found.body for found in left]))
        return Exit.DONE
    for found in left:
        session.screen.data(f"- {found.title}: deletion asked for")
    if not args.wait:
        session.screen.say(f"  next: setpoint wait {targets[0].kind}/{targets[0].name} --for deleted")
    return Exit.DONE


def _confirmed(session: Session, targets: Sequence[Object], *, cascade: bool) -> bool:
    """Destructive: the name is typed, not just a key pressed."""
    titles = ", ".join(target.title for target in targets)
    word = targets[0].name if len(targets) == 1 else str(len(targets))
    inside = " and everything inside" if cascade else ""
    question = f"Delete {titles}{inside} at {session.endpoint.place}? Type {word} to go on: "
    return session.screen.ask(question, "say --yes to delete without being asked") == word


def _organization(session: Session, targets: Sequence[Object]) -> str:
    first = targets[0]
    return first.scope.organization or (first.name if first.kind == "organization" else session.organization)
