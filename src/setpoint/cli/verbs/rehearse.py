"""`setpoint rehearse`: what other limits would have held, or let go, over everything on record."""

import argparse
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.target import target_of
from setpoint.cli.text import clean, duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
Body = Mapping[str, AnyJson]
EXAMPLES: Final[Mapping[str, str]] = {
    "rehearse": """\
  setpoint rehearse deletes_share=0.05
  setpoint rehearse shrink_share=0.1 shrink_floor=1 dns_zone example-org
  setpoint rehearse deletes_ceiling=2 --full -o json

limits, what they are for and their values: setpoint explain limits"""
}
SHOWN: Final = 20


def flags(parser: Parser, verb: str) -> None:
    words = "LIMIT=VALUE … [KIND NAME]"
    parser.add_argument(
        "words", nargs="+", metavar=words, help="the limits to try, and perhaps on which object"
    )
    parser.add_argument("--full", action="store_true", help=f"every pass that differs, not only {SHOWN}")


def run(session: Session, args: argparse.Namespace) -> int:
    limits = {name: _value(said) for name, sign, said in map(_parted, args.words) if sign}
    if not limits:
        step = "for example: setpoint rehearse deletes_share=0.05"
        raise Stop("say which limit to try, as LIMIT=VALUE", next_steps=(step, "setpoint explain limits"))
    found = _rehearsed(session, {"limits": limits, "ref": _ref(session, args)})
    if session.screen.format in PLAIN:
        _show(session.screen, found, full=args.full)
    else:
        show(session.screen, found)
    return Exit.DONE


def _parted(word: str) -> tuple[str, str, str]:
    return word.partition("=")


def _value(said: str) -> AnyJson:
    """A number, or the word as it is: the server tells what is wrong with every one at once."""
    try:
        number = float(said)
    except ValueError:
        return said
    if not isfinite(number):
        return said  # JSON has no word for it.
    return int(said) if said.lstrip("-").isdecimal() else number


def _ref(session: Session, args: argparse.Namespace) -> str:
    words = [word for word in args.words if "=" not in word]
    if not words:
        return ""
    target = target_of(session, words, "rehearse")
    if target.item:
        raise Stop("rehearse is about an object, not about one item of it")
    return target.found.ref


def _rehearsed(session: Session, wanted: Body) -> dict[str, AnyJson]:
    """All pages as one answer."""
    whole: dict[str, AnyJson] = {"looked_at": 0, "held_more": 0, "held_less": 0, "items": []}
    for page in session.client.rehearse(session.organization, wanted):
        whole = {key: known + page[key] for key, known in whole.items()}
        session.screen.live(f"{whole['looked_at']:,} passes judged again …")
    session.screen.live("")
    return {"limits": wanted["limits"], **whole}


def _show(screen: Screen, found: Body, *, full: bool) -> None:
    items: Sequence[Body] = found["items"]
    shown = items if full else items[:SHOWN]
    headings = ("PASS", "AGO", "OBJECT", "WOULD HAVE BEEN")
    columns = [Column(heading, gives=heading in headings[2:]) for heading in headings]
    for line in painted(screen, columns, [_row(each) for each in shown]) if shown else ():
        screen.data(line)
    if len(shown) < len(items):
        screen.data(f"and {len(items) - len(shown):,} more; --full lists them")
    more, less = found["held_more"], found["held_less"]
    looked = "1 pass" if found["looked_at"] == 1 else f"{found['looked_at']:,} passes"
    screen.data(f"{looked} on record: {more:,} would have been held more, {less:,} less")


def _row(each: Body) -> tuple[str, ...]:
    at = seconds_of(each.get("at"))
    age = duration(now() - at) if at is not None else ""
    return str(each["id"]), age, f"{each.get('kind')}/{each.get('name')}", clean(_would(each))


def _would(each: Body) -> str:
    """`held by delete_budget: 4 deletes of 12 …; 0 let through instead of 4`."""
    parts = [f"held by {hold['guard']}: {hold['message']}" for hold in each["held_more"]]
    parts += [f"not held by {hold['guard']}" for hold in each["held_less"]]
    allowed = each["allowed"]
    if allowed["would_be"] != allowed["then"]:
        parts.append(f"{allowed['would_be']:,} let through instead of {allowed['then']:,}")
    return "; ".join(parts)
