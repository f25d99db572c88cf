"""`setpoint apply`: shows the plan, asks, declares, and stays until it is so. Ctrl-C only stops looking."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from setpoint.cli.changes import natural
from setpoint.cli.exits import Exit
from setpoint.cli.expand import declarations_in
from setpoint.cli.files import Files, Mistaken
from setpoint.cli.flags import Parser
from setpoint.cli.follow import Waiting, exit_for, follow
from setpoint.cli.goals import GONE, Goal
from setpoint.cli.held import show_standings
from setpoint.cli.outline import lines
from setpoint.cli.output import listed, show
from setpoint.cli.ownership import owner_for, tell_ownership
from setpoint.cli.proposal import Proposal, proposals
from setpoint.cli.reading import read
from setpoint.cli.rehearsal import Rehearsed, mistakes_in, rehearsed
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean, folded, plural
from setpoint.cli.verbs.plan import add_files
from setpoint.client.address import Scope
from setpoint.client.errors import Refused
from setpoint.client.resource import Object

EXAMPLES: Final[Mapping[str, str]] = {
    "apply": """\
  setpoint apply -f shop.yaml
  setpoint apply -f dns/ -f hosts/ --yes --timeout 600
  setpoint get zones -o yaml | setpoint apply -f - --yes
  setpoint apply -f shop.yaml --prune --owner shop     withdraws what the file no longer mentions

exit codes: 0 all is as declared, 1 something failed, 4 held for a person, 5 not there yet"""
}


@dataclass(frozen=True, slots=True)
class Declared:
    """What one organization was told, and what is waited for."""

    proposal: Proposal
    objects: tuple[Object, ...]
    going: tuple[Object, ...]

    @property
    def goals(self) -> list[Goal]:
        stays = [Goal(found.ref, found.title, generation=found.generation) for found in self.objects]
        goes = [Goal(found.ref, found.title, GONE, found.generation + 1) for found in self.going]
        return [*(goal for goal in stays if goal.ref not in {gone.ref for gone in self.going}), *goes]


def flags(parser: Parser, verb: str) -> None:
    add_files(parser, required=True)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--full", action="store_true", help="show every change on a line of its own")
    parser.add_argument("--no-wait", action="store_true", help="declare and return")
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="wait at most so long (300)"
    )


def run(session: Session, args: argparse.Namespace) -> int:
    files = declarations_in(session, args)
    asked = proposals(session, files, owner_for(args, files), prune=args.prune)
    found = rehearsed(session, files, asked)
    for answer in found:
        for line in lines(answer.outline, session.screen, full=args.full):
            session.screen.tell(line)
        for line in _withdrawals(answer, session.screen.columns):
            session.screen.tell(line)
        tell_ownership(session.screen, answer.ownership, args)
    if not args.yes and not _confirmed(session, found):
        session.screen.say("Nothing was changed.")
        return Exit.PENDING
    codes, bodies = [], []
    for answer in found:
        code, seen = _apply(session, files, answer, args)
        codes.append(code)
        bodies += [item.body for item in seen]
        if code == Exit.INTERRUPTED:
            break
    if session.screen.format not in PLAIN:
        show(session.screen, listed(bodies))
    return max(codes)


def _withdrawals(answer: Rehearsed, columns: int | None) -> list[str]:
    """Everything that is no longer mentioned, by name: what goes is not said in numbers alone."""
    gone: dict[str, list[str]] = {}
    for found in answer.ownership.withdrawn:
        gone.setdefault(found.kind, []).append(found.name)
    said = [f"Withdrawn: {kind} {', '.join(sorted(names, key=natural))}" for kind, names in gone.items()]
    return [line for words in said for line in folded(clean(words), columns, 2)]


def _confirmed(session: Session, found: Sequence[Rehearsed]) -> bool:
    """What changes nothing needs no yes."""
    if all(answer.outline.changes_nothing for answer in found):
        return True
    where = ", ".join(answer.proposal.organization for answer in found)
    question = f"Apply to {where} at {session.endpoint.place}? [y/N] "
    return session.screen.ask(question, "say --yes to apply without being asked").lower() in ("y", "yes")


def _apply(
    session: Session, files: Files, answer: Rehearsed, args: argparse.Namespace
) -> tuple[int, list[Object]]:
    proposal = answer.proposal
    # The watch begins before anything is declared, so that no change can slip in between.
    with session.client.watch(Scope(proposal.organization)) as stream:
        declared = _declare(session, files, answer)
        goals = declared.goals
        session.screen.say(f"{plural(len(goals), 'object')} declared in {proposal.organization}.")
        if args.no_wait or not goals:
            return Exit.DONE, list(declared.objects)
        known = {found.ref: found for found in (*declared.objects, *declared.going)}
        waiting = Waiting(session.screen, stream, lambda missing: read(session, missing, known), args.timeout)
        try:
            standings = follow(waiting, goals, known)
        except KeyboardInterrupt:
            return _detached(session, goals), list(declared.objects)
    show_standings(session, proposal.organization, standings)
    return exit_for(standings), [standing.found for standing in standings if standing.found]


def _declare(session: Session, files: Files, answer: Rehearsed) -> Declared:
    proposal, going = answer.proposal, answer.ownership.withdrawn
    try:
        return Declared(proposal, session.client.declare(proposal.organization, proposal.batch), going)
    except Refused as error:
        raise Mistaken(mistakes_in(files, proposal, error)) from error


def _detached(session: Session, goals: Sequence[Goal]) -> int:
    kind, _, name = goals[-1].title.partition(" ")
    screen = session.screen
    screen.live("")
    screen.say("Detached: everything declared goes on without this terminal.")
    screen.say("  look again:     setpoint watch")
    screen.say(f"  wait again:     setpoint wait {kind} {name}")
    screen.say(f"  really stop it: setpoint pause --scope {session.organization} --reason WHY")
    return Exit.INTERRUPTED
