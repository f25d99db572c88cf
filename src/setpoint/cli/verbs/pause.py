"""`setpoint pause` and `setpoint resume`: the red button at every level, and what it holds."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.names import names_of
from setpoint.cli.output import listed, show
from setpoint.cli.paused import selector
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.text import duration, plural
from setpoint.client.errors import Refused
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "pause": """\
  setpoint pause                                       what is paused now; also: setpoint pause --list
  setpoint pause --all --reason "something is off"
  setpoint pause host web-1 --reason "being repaired by hand"
  setpoint pause --kind dns_zone --mode no-deletes --reason "migration"
  setpoint pause --scope acme/shop --mode observe --reason "audit\"""",
    "resume": """\
  setpoint resume --all
  setpoint resume host web-1
  setpoint resume --scope acme/shop
  setpoint resume                                      the only thing that is paused""",
}
DOMAIN: Final = "domain:"
NOT_FOUND: Final = 404
MODES: Final = ("stop", "observe", "no-deletes")


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="*", metavar="KIND NAME", help="one object; also KIND/NAME")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--kind", metavar="KIND", help="everything of a kind")
    parser.add_argument("--scope", metavar="SCOPE", help="ORGANIZATION[/PROJECT[/WORKSPACE]]")
    if verb == "pause":
        parser.add_argument("--reason", help="why; shown to everybody, kept in the audit")
        parser.add_argument("--list", action="store_true", help="only show what is paused now")
        parser.add_argument("--mode", choices=MODES, default="stop", help="how much is withheld (stop)")


def run(session: Session, args: argparse.Namespace) -> int:
    chosen = [word for word in (args.all, args.kind, args.scope, args.words) if word]
    if len(chosen) > 1:
        raise Stop("choose one of --all, --kind, --scope or KIND NAME")
    if args.verb == "resume":
        return _resume(session, args)
    if args.list or not chosen:
        return _show(session, session.client.switches())
    answer = _paused(session, args)
    if session.screen.format not in PLAIN:
        show(session.screen, answer)
        return Exit.DONE
    return _show(session, session.client.switches())


def _resume(session: Session, args: argparse.Namespace) -> int:
    """Says what was lifted; what was not paused is no failure."""
    key, screen = _target(session, args), session.screen
    try:
        answer = _resumed(session, args, key) if key else {}
    except Refused as error:
        if error.problem.status != NOT_FOUND:
            raise
        answer = {}
    if screen.format not in PLAIN:
        show(screen, answer)
        return Exit.DONE
    screen.tell(f"Resumed: {key}." if answer else f"{key or 'Nothing'} {'was not' if key else 'is'} paused.")
    left = session.client.switches()
    return _show(session, left) if left else Exit.DONE


def _target(session: Session, args: argparse.Namespace) -> str:
    """What is to go on, in the words of the command line; empty where nothing is paused and nothing named."""
    return " ".join(args.words) if args.words else _key(session, args)


def _paused(session: Session, args: argparse.Namespace) -> AnyJson:
    if not args.reason:
        raise Stop("pausing needs a reason", next_steps=('add --reason "why"',))
    wanted = {"mode": args.mode, "reason": args.reason}
    if args.words:
        kind, name = session.catalogue.one(args.words, "pause")
        return session.client.pause(kind, session.object(kind, name), wanted)
    return session.client.set_switch(_key(session, args), wanted)


def _resumed(session: Session, args: argparse.Namespace, key: str) -> AnyJson:
    if args.words:
        kind, name = session.catalogue.one(args.words, "resume")
        return session.client.resume(kind, session.object(kind, name))
    return session.client.clear_switch(key)


def _key(session: Session, args: argparse.Namespace) -> str:
    if args.all:
        return "all"
    if args.kind:
        return f"kind:{session.catalogue.find(args.kind).name}"
    if args.scope:
        return f"scope:{args.scope}"
    return _only_key(session)


def _only_key(session: Session) -> str:
    """Resuming without saying what is clear only when one thing is paused."""
    keys = [str(switch["key"]) for switch in session.client.switches()]
    if len(keys) == 1 and not keys[0].startswith(DOMAIN):
        return keys[0]
    if not keys:
        return ""
    names = names_of(session, [key.removeprefix(DOMAIN) for key in keys])
    steps = tuple(f"setpoint resume {selector(key, names)}" for key in keys)
    raise Stop(f"say what to resume: {plural(len(keys), 'pause')} in force", next_steps=steps)


def _show(session: Session, switches: Sequence[Mapping[str, AnyJson]]) -> int:
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, listed(switches))
        return Exit.DONE
    if not switches:
        screen.say("Nothing is paused.")
        return Exit.DONE
    columns = [Column("PAUSED"), Column("MODE"), Column("SINCE"), Column("BY"), Column("REASON", gives=True)]
    refs = [str(switch["key"]).removeprefix(DOMAIN) for switch in switches]
    names = names_of(session, refs) if any("/" in ref for ref in refs) else {}
    for line in painted(screen, columns, [_row(switch, names) for switch in switches]):
        screen.data(line)
    return Exit.DONE


def _row(switch: Mapping[str, AnyJson], names: Mapping[str, str]) -> tuple[str, ...]:
    key = str(switch.get("key"))
    since = seconds_of(switch.get("since"))
    age = duration(now() - since) if since is not None else ""
    return (
        names.get(key.removeprefix(DOMAIN), key),
        str(switch.get("mode")),
        age,
        str(switch.get("by")),
        str(switch.get("reason")),
    )
