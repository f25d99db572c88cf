"""`setpoint passes` and `setpoint replay`: decisions on record, and whether they would be the same today."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser, add_limit
from setpoint.cli.listing import painted
from setpoint.cli.outline import lines, outline_of
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.target import target_of
from setpoint.cli.text import duration, folded
from setpoint.cli.verdict import decided, decided_in_short, hold_lines, sized
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
Body = Mapping[str, AnyJson]
EXAMPLES: Final[Mapping[str, str]] = {
    "passes": """\
  setpoint passes                              what was decided last
  setpoint passes dns_zone example-org --limit 50
  setpoint passes 01h8p3k2c9e4                 one of them whole
  setpoint passes -o jsonl""",
    "replay": """\
  setpoint replay                              the last passes that decided something
  setpoint replay dns_zone example-org --limit 100
  setpoint replay 01h8p3k2c9e4                 one of them

exit codes: 0 every decision is the same today, 1 one differs""",
}
LIMIT: Final = 20


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="[PASS | KIND NAME]", help="one pass, or those of one object"
    )
    add_limit(parser, LIMIT, f"the last so many ({LIMIT})")
    if verb == "passes":
        parser.add_argument(
            "--full", action="store_true", help="of one pass: every change on a line of its own"
        )


def run(session: Session, args: argparse.Namespace) -> int:
    identity = _identity(args.words)
    if args.verb == "replay":
        return _replay(session, args, identity)
    if identity:
        return _one(session.screen, session.client.recorded(session.organization, identity), full=args.full)
    found = list(_newest(session, args))
    if session.screen.format not in PLAIN:
        show(session.screen, listed(found))
    elif not found:
        _nothing(session.screen)
    else:
        headings = ("PASS", "AGO", "OBJECT", "PLAN", "DECIDED")
        rows = [(*_named(each), sized(each.get("changes") or {}), decided_in_short(each)) for each in found]
        _show_table(session.screen, headings, rows)
    return Exit.DONE


def _replay(session: Session, args: argparse.Namespace, identity: str) -> int:
    wanted = [identity] if identity else [str(each["id"]) for each in _newest(session, args)]
    found = [session.client.replay(session.organization, each) for each in wanted]
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, found[0] if identity else listed(found))
    elif not found:
        _nothing(screen)
    else:
        _show_table(
            screen, ("PASS", "AGO", "OBJECT", "AGAIN", "DECIDED"), [_replayed(each) for each in found]
        )
        for each in found if identity else ():
            _show_difference(screen, each)
        differ = sum(not each.get("same") for each in found)
        words = f"{differ:,} differ" if differ else "every decision is the same"
        screen.data(f"{len(found):,} judged again: {words}")
    return Exit.DONE if all(each.get("same") for each in found) else Exit.FAILED


def _identity(words: Sequence[str]) -> str:
    """A single word that names no object is the id of a pass."""
    return words[0].removeprefix("pass/") if len(words) == 1 and not _is_object(words[0]) else ""


def _is_object(word: str) -> bool:
    return "/" in word and not word.startswith("pass/")


def _newest(session: Session, args: argparse.Namespace) -> Iterator[Body]:
    target = target_of(session, args.words, args.verb) if args.words else None
    if target is not None and target.item:
        raise Stop(f"{args.verb} is about an object, not about one item of it")
    ref = target.found.ref if target else ""
    return islice(session.client.passes(session.organization, ref, args.limit), args.limit)


def _nothing(screen: Screen) -> None:
    screen.say("Nothing is on record yet: passes are, that have something to decide.")


def _one(screen: Screen, found: Body, *, full: bool) -> int:
    if screen.format not in PLAIN:
        show(screen, found)
        return Exit.DONE
    case, verdict = found.get("case") or {}, found.get("verdict") or {}
    title = f"{found.get('kind')} {found.get('name')}"
    at = str(found.get("at"))[:19].replace("T", " ")
    screen.data(screen.paint(f"pass {found.get('id')}", "heading") + f"  of {title}")
    facts = (
        f"  at       {at}, {_ago(found)} ago",
        f"  wanted   {found.get('desired', 0)} declared, {found.get('actual', 0)} there then",
        f"  decided  {decided(verdict)}",
        *(f"  {line}" for line in hold_lines(verdict.get("holds") or ())),
    )
    for line in (part for fact in facts for part in folded(fact, screen.columns, 4)):
        screen.data(line)
    actions = (case.get("plan") or {}).get("actions") or ()
    plan = {"kind": found.get("kind"), "name": found.get("name"), "actions": actions}
    for line in ("", *lines(outline_of("Plan", plan), screen, full=full)):
        screen.data(line)
    screen.say(f"  next: setpoint replay {found.get('id')}")
    return Exit.DONE


def _show_table(screen: Screen, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    columns = [Column(heading, gives=heading in ("OBJECT", headings[-1])) for heading in headings]
    for line in painted(screen, columns, rows):
        screen.data(line)


def _replayed(each: Body) -> tuple[str, ...]:
    then, again = decided(each.get("then") or {}), decided(each.get("now") or {})
    if each.get("same"):
        return *_named(each), "= same", then
    return *_named(each), "! differs", f"then: {then}; now: {again}"


def _show_difference(screen: Screen, each: Body) -> None:
    """Both verdicts guard by guard, where they are not the same."""
    for word in ("then", "now") if not each.get("same") else ():
        verdict = each.get(word) or {}
        screen.data(f"{word}: {decided(verdict)}")
        for hold in hold_lines(verdict.get("holds") or ()):
            for line in folded(f"  {hold}", screen.columns, 4):
                screen.data(line)


def _named(each: Body) -> tuple[str, str, str]:
    return str(each.get("id")), _ago(each), f"{each.get('kind')}/{each.get('name')}"


def _ago(each: Body) -> str:
    at = seconds_of(each.get("at"))
    return duration(now() - at) if at is not None else ""
