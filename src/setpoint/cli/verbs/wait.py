"""`setpoint wait`: until objects are in a state, saying live which one misses what, and why."""

import argparse
from collections.abc import Mapping
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.follow import Waiting, exit_for, follow
from setpoint.cli.goals import GONE, Goal, Standing
from setpoint.cli.output import listed, show
from setpoint.cli.reading import read
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.text import plural
from setpoint.client.address import Scope
from setpoint.client.resource import Object

STATES: Final = ("PENDING", "READY", "DEGRADED", "HELD", "FAILED")
EXAMPLES: Final[Mapping[str, str]] = {
    "wait": """\
  setpoint wait host web-1
  setpoint wait dns_zones --for READY --timeout 600
  setpoint wait host/web-1 --for deleted

exit codes: 0 reached, 5 not within the time: what is missing is said"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND [NAME …]", help="also KIND/NAME")
    parser.add_argument("--for", dest="wanted", default="READY", metavar="STATE", help="READY, deleted, …")
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="wait at most so long (300)"
    )


def run(session: Session, args: argparse.Namespace) -> int:
    wanted = _wanted(args.wanted)
    with session.client.watch(Scope(session.organization)) as stream:
        found = _found(session, args.words, wanted)
        known = {item.ref: item for item in found}
        goals = [_goal(item, wanted) for item in found]
        waiting = Waiting(session.screen, stream, lambda missing: read(session, missing, known), args.timeout)
        standings = follow(waiting, goals, known)
    _show(session, standings)
    return exit_for(standings)


def _wanted(word: str) -> str:
    if word.lower() == GONE:
        return GONE
    if word.upper() in STATES:
        return word.upper()
    raise Stop(
        f"{word} is no state; known are {', '.join(STATES)} and {GONE}", next_steps=did_you_mean(word, [GONE])
    )


def _found(session: Session, words: list[str], wanted: str) -> list[Object]:
    found: list[Object] = []
    for selected in session.catalogue.select(words):
        if not selected.names:
            found += session.client.objects(selected.kind, session.scope_for(selected.kind))
        for name in selected.names:
            try:
                found.append(session.object(selected.kind, name))
            except Stop as stop:
                if wanted != GONE or stop.exit_code is not Exit.FAILED:
                    raise
                session.screen.say(f"{selected.kind.name} {name} is not there")
    return found


def _goal(found: Object, wanted: str) -> Goal:
    # Only READY speaks about the newest intent; the other states are worth the same whatever they are about.
    generation = found.generation if wanted == "READY" else 0
    return Goal(found.ref, found.title, wanted, generation, ends_early=False)


def _show(session: Session, standings: list[Standing]) -> None:
    missing = [standing for standing in standings if standing.verdict != "reached"]
    for standing in missing:
        session.screen.explain(f"  {standing.missing}", indent=4)
        session.screen.say(f"    next: setpoint why {standing.goal.title.replace(' ', '/', 1)}")
    if session.screen.format not in PLAIN:
        show(session.screen, listed([standing.found.body for standing in standings if standing.found]))
    elif not missing:
        wanted = standings[0].goal.wanted if standings else "there"
        session.screen.data(f"{plural(len(standings), 'object')} {wanted}")
