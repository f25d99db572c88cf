"""`setpoint watch`: what happens, as it happens."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import SYMBOLS
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.text import clean, clip
from setpoint.client.resource import Happening, Kind
from setpoint.client.stream import Stream
from setpoint.system import monotonic

EXAMPLES: Final[Mapping[str, str]] = {
    "watch": """\
  setpoint watch
  setpoint watch hosts -p shop
  setpoint watch host web-1 -o jsonl
  setpoint watch --count 10 -o json"""
}
TICK: Final = 0.5


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="*", metavar="[KIND [NAME]]", help="only of this kind, or this object")
    parser.add_argument("--count", type=int, metavar="N", help="stop after so many events")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="stop after so long")
    parser.add_argument("--since", metavar="REVISION", default="", help="begin after this revision")


def run(session: Session, args: argparse.Namespace) -> int:
    kind, name = _chosen(session, args.words)
    session.screen.say(f"watching {session.scope} from now on; Ctrl-C ends it")
    found: list[Happening] = []
    try:
        with _stream(session, kind, args.since) as stream:
            for event in _wanted(stream, args, kind, name):
                found.append(event)
                _show(session.screen, event)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    finally:
        # One document, however the watch ends.
        if session.screen.format in ("json", "yaml"):
            show(session.screen, listed([event.body for event in found]))
    return Exit.DONE


def _chosen(session: Session, words: list[str]) -> tuple[Kind | None, str]:
    if not words:
        return None, ""
    chosen = session.catalogue.select(words)
    if len(chosen) != 1 or len(chosen[0].names) > 1:
        raise Stop("watch follows one kind, or one object, or everything")
    return chosen[0].kind, (*chosen[0].names, "")[0]


def _stream(session: Session, kind: Kind | None, since: str) -> Stream:
    if kind is None or kind.level == "installation":
        return session.client.watch(session.scope.up_to("organization"), since=since)
    return session.client.watch(session.scope_for(kind), kind.plural, since)


def _wanted(stream: Stream, args: argparse.Namespace, kind: Kind | None, name: str) -> Iterator[Happening]:
    deadline = None if args.timeout is None else monotonic() + args.timeout
    left = args.count
    while (left is None or left > 0) and (deadline is None or monotonic() < deadline):
        event = stream.next(TICK if deadline is None else min(TICK, deadline - monotonic()))
        if event is None or not _is_about(event, kind, name):
            continue
        left = None if left is None else left - 1
        yield event


def _is_about(event: Happening, kind: Kind | None, name: str) -> bool:
    of_kind = kind is None or event.ref.partition("/")[0] == kind.name
    return of_kind and (not name or (event.object is not None and event.object.name == name))


def _show(screen: Screen, event: Happening) -> None:
    if screen.format == "jsonl":
        show(screen, event.body)
    elif screen.format == "name":
        screen.data(event.ref)
    elif screen.format in PLAIN:
        screen.data(_line(screen, event))
    screen.stdout.flush()


def _line(screen: Screen, event: Happening) -> str:
    at = event.at[11:19] or event.at
    found = event.object
    subject = f"{found.kind}/{found.name}" if found else event.ref
    state = found.state if found else ""
    symbol = SYMBOLS.get(state, "-" if event.type.endswith("deleted") else " ")
    words = clean(f"{at} {symbol} {subject} {state}  {event.type}: {event.message}")
    return screen.paint(words if screen.columns is None else clip(words, screen.columns), state)
