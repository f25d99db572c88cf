"""`setpoint operations`, `cancel` and `retry`: long work in one shape, stopped, and begun once more."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser, add_limit
from setpoint.cli.listing import painted
from setpoint.cli.output import first_of, listed, show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.text import clean, duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "operations": "  setpoint operations\n  setpoint operations --open\n  setpoint operations ID --wait",
    "cancel": '  setpoint cancel ID --reason "the wrong project" --wait',
    "retry": '  setpoint retry ID --reason "the quota was raised" --wait',
}
AT_ONCE: Final = 10
"""So many seconds one request waits; then it is asked anew."""


def flags(parser: Parser, verb: str) -> None:
    if verb == "operations":
        parser.add_argument("operation", nargs="?", metavar="ID", help="one of them")
        parser.add_argument("--open", action="store_true", help="only those that are not over")
        add_limit(parser, 50, "at most so many (50)")
    else:
        parser.add_argument("operation", metavar="ID")
        parser.add_argument("--reason", required=True, help="why; kept in the audit")
    parser.add_argument("--wait", action="store_true", help="until it is over")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.verb == "cancel":
        session.client.cancel(session.organization, args.operation, args.reason)
    if args.verb == "retry":
        begun = session.client.retry(session.organization, args.operation, args.reason)
        args.operation = begun["id"]
        session.screen.say(_goes_on(begun.get("retry") or {}))
    if args.operation:
        return _one(session, args)
    every = session.client.operations(session.organization)
    wanted = (one for one in every if not args.open or not one["done"])
    found, more = first_of(wanted, args.limit, "setpoint operations")
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(
            f"No operation in {session.organization}. Long work is one: tasks, and plans that are asked for."
        )
    else:
        headings = ("OPERATION", "VERB", "TARGET", "STATE", "STEP", "AGE", "SAID")
        columns = [Column(heading, gives=heading in ("TARGET", "SAID")) for heading in headings]
        for line in painted(screen, columns, [_row(one) for one in found]):
            screen.data(line)
        if more:
            screen.say(more)
    return Exit.DONE


def _goes_on(retry: Mapping[str, AnyJson]) -> str:
    """From where, and what is left as it is."""
    stands = retry.get("stands") or ()
    kept = f"; what {', '.join(stands)} did stands" if stands else ", its first step: nothing of it stands"
    return f"begun once more, from {retry.get('from')}{kept}"


def _one(session: Session, args: argparse.Namespace) -> int:
    one = session.client.operation(session.organization, args.operation)
    while args.wait and not one["done"]:
        one = session.client.operation(session.organization, args.operation, AT_ONCE)
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, one)
    else:
        _tell(screen, one)
    stopped = args.verb == "cancel" and (one.get("error") or {}).get("code") == "cancelled"
    return Exit.FAILED if one.get("error") and not stopped else Exit.DONE


def _tell(screen: Screen, one: Mapping[str, AnyJson]) -> None:
    screen.data(screen.paint(f"operation {one['id']}", "heading") + f"  {one['verb']} for {one['target']}")
    screen.data(clean(f"  {one['state']}, {_step(one)}: {_said(one)}"))
    if one["cancel_requested"] and not one["done"]:
        screen.say(f"  it stops before its next step\n  next: setpoint operations {one['id']} --wait")


def _row(one: Mapping[str, AnyJson]) -> tuple[str, ...]:
    made = seconds_of(one.get("create_time"))
    age = duration(now() - made) if made is not None else ""
    return (
        str(one["id"]),
        str(one["verb"]),
        str(one["target"]),
        str(one["state"]),
        _step(one),
        age,
        _said(one),
    )


def _step(one: Mapping[str, AnyJson]) -> str:
    progress = one.get("progress") or {}
    return f"{progress.get('number')}/{progress.get('of')} {progress.get('step') or ''}".strip()


def _said(one: Mapping[str, AnyJson]) -> str:
    return str((one.get("error") or {}).get("message") or (one.get("progress") or {}).get("message") or "")
