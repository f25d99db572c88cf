"""`setpoint why`: one sentence, then the chain, then the commands that lead on, then the guards' numbers."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.guards import numbers
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.target import target_of
from setpoint.cli.text import clean, folded

EXAMPLES: Final[Mapping[str, str]] = {
    "why": """\
  setpoint why host/web-1
  setpoint why dns_zone example-org -p shop
  setpoint why dns_zone example-org www/A      one item of it
  setpoint why dns_zone example-org --full     with every guard and its numbers
  setpoint why host web-1 -o json"""
}

SAID: Final = ("contested", "waiting", "paused")


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND NAME [ITEM]", help="also KIND/NAME")
    parser.add_argument("--full", action="store_true", help="every guard with its numbers, as -o wide")


def run(session: Session, args: argparse.Namespace) -> int:
    target, screen = target_of(session, args.words, "why"), session.screen
    told = session.client.why(target.kind, target.found.scope, target.found.name, target.item)
    if screen.format not in PLAIN:
        show(screen, told)
        return Exit.DONE
    full = args.full or screen.format == "wide"
    for line in (*lines(told, screen), *(guard_lines(told, screen) if full else ())):
        screen.data(line)
    return Exit.DONE


def lines(told: Mapping[str, Any], screen: Screen) -> list[str]:
    """The answer laid out; the words are the server's."""
    # The state in the sentence says most of it; this is what it cannot say.
    situation = str(told.get("situation") or "")
    prefix = f"{situation}: " if situation in SAID else ""
    said = folded(clean(f"{prefix}{told.get('sentence', '')}"), screen.columns, 2)
    chain = [
        line
        for link in told.get("chain") or ()
        for line in folded(f"  {clean(str(link))}", screen.columns, 4)
    ]
    steps = [f"  next: {clean(str(step))}" for step in told.get("next") or ()]
    return [*(screen.paint(line, "heading") for line in said), *chain, *steps]


def guard_lines(told: Mapping[str, Any], screen: Screen) -> list[str]:
    """Every guard: those that hold with what they said and how they let go, the others with their numbers."""
    guards = (told.get("evidence") or {}).get("guards") or ()
    width = max((len(str(guard["name"])) for guard in guards), default=0)
    found = []
    for guard in guards:
        mark, limits = "!" if guard.get("said") else "=", numbers(guard.get("limits") or {})
        words = guard["said"] + f"; released: {guard['release']}" if guard.get("said") else guard["about"]
        text = f"  {mark} {guard['name']:<{width}}  {clean(str(words))}" + (f" [{limits}]" if limits else "")
        found += [screen.paint(line, mark) for line in folded(text, screen.columns, width + len("  !   "))]
    return ["", screen.paint("Guards", "heading"), *found] if found else []
