"""`setpoint describe`: all there is to know about one object or one plan, with the commands that lead on."""

import argparse
from collections.abc import Mapping
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.held import show_held, show_next
from setpoint.cli.output import show
from setpoint.cli.prose import described, described_plan
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean, folded
from setpoint.system import now

EXAMPLES: Final[Mapping[str, str]] = {
    "describe": """\
  setpoint describe host web-1
  setpoint describe dns_zone/example-org -p shop
  setpoint describe plan 01h8p3k2c9e4"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND NAME", help="also KIND/NAME, or plan ID")


def run(session: Session, args: argparse.Namespace) -> int:
    words = [part for word in args.words for part in word.split("/", 1)]
    if words[0] in ("plan", "plans"):
        return _plan(session, words[1:])
    kind, name = session.catalogue.one(args.words, "describe")
    found = session.object(kind, name)
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, found.body)
        return Exit.DONE
    told = session.client.why(kind, found.scope, found.name)
    for line in described(found, told, screen, now()):
        screen.data(line)
    if found.plan:
        _show_plan(session, found.plan)
    return Exit.DONE


def _show_plan(session: Session, identity: str) -> None:
    """A held plan with its commands; of a decided one only what was decided."""
    plan = session.client.plan(session.organization, identity)
    session.screen.data("")
    if plan.get("state") == "held":
        show_held(session, [plan])
        return
    note = clean(str(plan.get("note") or ""))
    words = f"plan {identity} is {plan.get('state')} by {plan.get('decided_by')}: {note}"
    for line in folded(words, session.screen.columns, 2):
        session.screen.data(line)


def _plan(session: Session, identities: list[str]) -> int:
    if len(identities) != 1:
        raise Stop("describe plan needs one id", next_steps=("setpoint plan",))
    plan = session.client.plan(session.organization, identities[0])
    if session.screen.format not in PLAIN:
        show(session.screen, plan)
        return Exit.DONE
    for line in described_plan(plan, session.screen, now()):
        session.screen.data(line)
    if plan.get("state") == "held":
        show_next(session.screen, str(plan["id"]), looked=True)
    return Exit.DONE
