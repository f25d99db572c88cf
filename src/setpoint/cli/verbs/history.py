"""`setpoint events` and `setpoint audit`: what happened last, and who did it."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser, add_limit
from setpoint.cli.listing import brief, painted
from setpoint.cli.names import names_of
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.client.address import Scope
from setpoint.client.client import PAGE
from setpoint.client.stream import started

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "events": """\
  setpoint events
  setpoint events host web-1 --limit 20
  setpoint events --since 4711 -o jsonl        everything after revision 4711""",
    "audit": "  setpoint audit\n  setpoint audit --since 0 -o jsonl\n  setpoint audit verify\n"
    "  setpoint audit verify --installation         accounts, sessions, who runs it",
}
HEAD_SECONDS: Final = 2.0


def flags(parser: Parser, verb: str) -> None:
    if verb == "events":
        parser.add_argument("words", nargs="*", metavar="[KIND NAME]", help="only about one object")
    else:
        parser.add_argument("what", nargs="?", choices=("verify",), help="whether the chain is whole")
        parser.add_argument(
            "--installation", action="store_true", help="with verify: what lies in no organization"
        )
    add_limit(parser, 50, "the last so many (50)")
    parser.add_argument("--since", type=int, metavar="REVISION", help="all after this revision")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.verb == "audit" and args.what:
        return _verified(session, installation=args.installation)
    if args.verb == "audit" and args.installation:
        raise Stop("--installation goes with verify", Exit.USAGE, ("setpoint audit verify --installation",))
    found, more = _found(session, args)
    if session.screen.format not in PLAIN:
        show(session.screen, listed(found))
    elif not found:
        session.screen.say(f"Nothing happened in {session.organization} yet.")
    else:
        headings = ("AT", "REVISION", *_HEADINGS[args.verb])
        columns = [Column(heading, gives=heading in ("REVISION", headings[-1])) for heading in headings]
        names = names_of(session, [str(line.get("ref")) for line in found])
        rows = [_row(line, args.verb, names) for line in found]
        for line in painted(session.screen, columns, rows):
            session.screen.data(line)
        if more:
            again = " ".join(["setpoint", args.verb, *getattr(args, "words", ())])
            before = found[0]["revision"]
            session.screen.say(f"The last {len(found):,}; there may be more before revision {before}.")
            session.screen.say(f"  next: {again} --limit {args.limit * 10}")
    return Exit.DONE


def _verified(session: Session, *, installation: bool) -> int:
    told = session.client.verify("" if installation else session.organization)
    of = "the installation" if installation else session.organization
    if session.screen.format not in PLAIN:
        show(session.screen, told)
    elif told.get("intact"):
        session.screen.data(f"= the audit of {of} is whole{_compared(int(told.get('checkpoints', 0)))}")
    else:
        broken = told.get("broken_at")
        why = f": {told['why']}" if told.get("why") else ""
        session.screen.data(f"! the audit of {of} is broken at revision {broken}{why}")
    return Exit.DONE if told.get("intact") else Exit.FAILED


def _compared(points: int) -> str:
    """What it was compared with: a chain that was cut together with its head is whole in itself."""
    if not points:
        return "; no checkpoint of it is here to compare it with"
    return ", and holds the 1 checkpoint" if points == 1 else f", and holds all {points:,} checkpoints"


def _found(session: Session, args: argparse.Namespace) -> tuple[Sequence[Mapping[str, AnyJson]], bool]:
    """What is to be shown, and whether there is more before it."""
    ref = ""
    if args.verb == "events" and args.words:
        kind, name = session.catalogue.one(args.words, "events")
        ref = session.object(kind, name).ref
    after = args.since if args.since is not None else 0 if ref else _recent(session, args.limit)
    every = session.client.records(session.organization, args.verb, after)
    wanted = [line for line in every if not ref or line.get("ref") == ref]
    if args.since is not None:
        return wanted, False
    return wanted[-args.limit :], after > 0 or len(wanted) > args.limit


def _recent(session: Session, limit: int) -> int:
    """A revision about so many lines ago: history is paged from its beginning, which may be long ago."""
    with session.client.watch(Scope(session.organization)) as stream:
        head = started(stream, HEAD_SECONDS)
    return max(0, int(head) - max(PAGE, 3 * limit)) if head.isdigit() else 0


_HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "events": ("EVENT", "ABOUT", "MESSAGE"),
    "audit": ("WHO", "DID", "ABOUT", "DETAIL"),
}


def _row(line: Mapping[str, AnyJson], verb: str, names: Mapping[str, str]) -> tuple[str, ...]:
    moment, revision = str(line.get("at"))[:19].replace("T", " "), str(line.get("revision"))
    about = names.get(str(line.get("ref")), str(line.get("ref")))
    if verb == "events":
        return moment, revision, str(line.get("type")), about, str(line.get("message") or "")
    return moment, revision, str(line.get("actor")), str(line.get("action")), about, brief(line.get("detail"))
