"""`setpoint tasks`: work of many steps, how far it is, and what it waits for."""

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
    "tasks": "  setpoint tasks\n  setpoint tasks --open\n  setpoint tasks ID"
}
OVER: Final = ("done", "failed")


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("task", nargs="?", metavar="ID", help="one task, step by step")
    parser.add_argument("--open", action="store_true", help="only those that are not over")
    add_limit(parser, 50, "at most so many (50)")


def run(session: Session, args: argparse.Namespace) -> int:
    screen = session.screen
    if args.task:
        task = session.client.task(session.organization, args.task)
        return _one(screen, task)
    every = session.client.tasks(session.organization)
    wanted = (task for task in every if not args.open or task["state"] not in OVER)
    found, more = first_of(wanted, args.limit, "setpoint tasks")
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(
            f"No task in {session.organization}. Tasks are started by loops, for example of workspaces."
        )
    else:
        headings = ("TASK", "PIPELINE", "TARGET", "STATE", "STEP", "AGE", "REASON")
        columns = [Column(heading, gives=heading in ("TARGET", "REASON")) for heading in headings]
        for line in painted(screen, columns, [_row(task) for task in found]):
            screen.data(line)
        if more:
            screen.say(more)
    return Exit.DONE


def _one(screen: Screen, task: Mapping[str, AnyJson]) -> int:
    if screen.format not in PLAIN:
        show(screen, task)
        return Exit.DONE
    screen.data(screen.paint(f"task {task['id']}", "heading") + f"  {task['pipeline']} for {task['target']}")
    screen.data(clean(f"  {task['state']}: {task.get('reason') or ''}{_error(task)}"))
    done = task.get("steps_done") or ()
    for step in task.get("steps") or ():
        mark = "=" if step in done else "~" if step == task.get("step") else " "
        screen.data(f"  {mark} {step}")
    return Exit.DONE


def _row(task: Mapping[str, AnyJson]) -> tuple[str, ...]:
    steps, done = task.get("steps") or (), task.get("steps_done") or ()
    made = seconds_of(task.get("created_at"))
    return (
        str(task["id"]),
        str(task.get("pipeline")),
        str(task.get("target")),
        str(task.get("state")),
        f"{len(done)}/{len(steps)} {task.get('step') or ''}".strip(),
        duration(now() - made) if made is not None else "",
        f"{task.get('reason') or ''}{_error(task)}",
    )


def _error(task: Mapping[str, AnyJson]) -> str:
    return f" ({task['error']})" if task.get("error") else ""
