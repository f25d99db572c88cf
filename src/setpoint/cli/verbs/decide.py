"""`setpoint approve` and `setpoint reject`: a person's answer to a held plan, for exactly what was shown."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.changes import Change, change_of, one_by_one
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.text import clean, plural

AnyJson = Any
SHOWN: Final = 10
EXAMPLES: Final[Mapping[str, str]] = {
    "approve": """\
  setpoint approve 01h8p3k2c9e4 --reason "the old shop is closed"
  setpoint approve 01h8p3k2c9e4 --reason "ticket 4711" --yes
  setpoint approve 01h8p3k2c9e4 --reason "this one is mine" --only old-1/A

Only the destructive items that were shown are approved; a plan that changed meanwhile is not.""",
    "reject": '  setpoint reject 01h8p3k2c9e4 --reason "the file was empty by mistake"',
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("plan", metavar="PLAN", help="its id, from setpoint plan")
    parser.add_argument("--reason", required=verb == "approve", help="why; kept in the audit")
    if verb == "approve":
        parser.add_argument(
            "--only", action="append", metavar="ITEM", help="approve this item alone; may be repeated"
        )
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(session: Session, args: argparse.Namespace) -> int:
    identity = str(args.plan).removeprefix("plan/")
    if args.verb == "reject":
        wanted = {"reason": args.reason or "rejected on the command line"}
        return _decided(session, identity, "reject", wanted)
    plan = session.client.plan(session.organization, identity)
    if plan.get("state") != "held":
        state = plan.get("state")
        raise Stop(
            f"plan {identity} is {state}, so there is nothing to approve", Exit.FAILED, ("setpoint plan",)
        )
    plan = _only(plan, args.only)
    _show_destructive(session.screen, plan)
    if not args.yes and not _confirmed(session, plan):
        session.screen.say("Nothing was approved.")
        return Exit.HELD
    wanted = {"reason": args.reason, "digest": plan.get("digest")}
    return _decided(session, identity, "approve", wanted | ({"items": args.only} if args.only else {}))


def _only(plan: AnyJson, items: Sequence[str] | None) -> AnyJson:
    """The plan with what is chosen of it; raises where some of that is not asked about."""
    if not items:
        return plan
    asked = plan.get("asked") or [each.get("item") for each in plan.get("actions") or ()]
    if unknown := [item for item in items if item not in asked]:
        near = [step for item in unknown for step in did_you_mean(item, asked)]
        steps = (*near, f"it asks about {', '.join(asked[:SHOWN])}{' …' if asked[SHOWN:] else ''}")
        words = f"plan {plan.get('id')} does not ask about {', '.join(unknown)}; nothing was approved"
        raise Stop(words, Exit.USAGE, (*steps, f"setpoint describe plan {plan.get('id')}"))
    return {**plan, "actions": [each for each in plan.get("actions") or () if each.get("item") in items]}


def _decided(session: Session, identity: str, verb: str, wanted: Mapping[str, AnyJson]) -> int:
    plan = session.client.decide(session.organization, identity, verb, wanted)
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, plan)
        return Exit.DONE
    about = f"{plan.get('kind')} {plan.get('name')}"
    screen.data(f"plan {identity} for {about} is {plan.get('state')} by {plan.get('decided_by') or 'you'}")
    if verb == "approve":
        screen.say(f"  next: setpoint wait {plan.get('kind')} {plan.get('name')}")
    return Exit.DONE


def _show_destructive(screen: Screen, plan: Mapping[str, AnyJson]) -> None:
    """Every single item: what is not shown cannot be approved."""
    for hold in plan.get("holds") or ():
        screen.say(f"{screen.paint('!', '!')} {hold.get('guard')}: {clean(str(hold.get('message')))}")
    for group in one_by_one(_destructive(plan)):
        screen.say(f"  {screen.paint(group.line, group.line[0])}")


def _destructive(plan: Mapping[str, AnyJson]) -> list[Change]:
    kind, name = str(plan.get("kind", "")), str(plan.get("name", ""))
    changes = [change_of(action, kind, name) for action in plan.get("actions") or ()]
    return [change for change in changes if change.destructive]


def _confirmed(session: Session, plan: Mapping[str, AnyJson]) -> bool:
    count = plural(len(_destructive(plan)), "destructive item")
    question = f"Approve exactly these {count} in {session.organization} at {session.endpoint.place}? [y/N] "
    return session.screen.ask(question, "say --yes to approve without being asked").lower() in ("y", "yes")
