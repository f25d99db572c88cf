"""`setpoint history`: what an object was declared as, generation by generation."""

import argparse
import json
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser, add_limit
from setpoint.cli.output import listed, show
from setpoint.cli.redact import redacted
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "history": "  setpoint history host web-1\n  setpoint history dns_zone/example-org --limit 3 -o yaml"
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND NAME", help="also KIND/NAME")
    add_limit(parser, 50, "the last so many (50)")


def run(session: Session, args: argparse.Namespace) -> int:
    kind, name = session.catalogue.one(args.words, "history")
    found = session.object(kind, name)
    generations = session.client.history(kind, found.scope, name)[: args.limit]
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, listed(generations))
        return Exit.DONE
    for one in generations:
        moment = str(one["at"])[:19].replace("T", " ")
        screen.data(
            screen.paint(f"generation {one['generation']}", "heading")
            + f"  {moment}  {one['verb']} by {one['by']}"
        )
        for change in one.get("changed") or ():
            screen.data(clean(f"  {_line(change)}"))
    return Exit.DONE


def _line(change: Mapping[str, AnyJson]) -> str:
    field = str(change["field"])
    before, after = (_value(change, key, field) for key in ("before", "after"))
    if "before" not in change:
        return f"+ {field} {after}"
    return f"- {field} {before}" if "after" not in change else f"~ {field} {before} → {after}"


def _value(change: Mapping[str, AnyJson], key: str, field: str) -> str:
    return json.dumps(redacted(change.get(key), field), ensure_ascii=False)
