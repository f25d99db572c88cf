"""`setpoint secret`: sealed for one organization. The value is asked for or read, and never shown again."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.hidden import asked_for
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column
from setpoint.cli.text import clean, duration
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "secret": """\
  setpoint secret set hetzner                  asks for it, and does not show it
  setpoint secret set hetzner < token          from a file or a program
  setpoint secret set hooks --host hooks.example.org
  setpoint secret rotate hetzner               the next one; the one before stays good
  setpoint secret retire hetzner               once everything was seen with the next one
  setpoint secret list
  setpoint secret delete hetzner

In files it is named: credential: secret://hetzner"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="set|rotate|retire|list|delete", help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME", help="which secret")
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument(
        "--host",
        action="append",
        metavar="HOST",
        help="where it may be used, as api.example.org, *.example.org or api.example.org:8443; once for each",
    )
    parser.add_argument(
        "--keep-previous", action="store_true", help="keep the one before until the new one is seen in use"
    )


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), "setpoint secret --help")
        raise Stop(f"there is no secret {args.what!r}", Exit.USAGE, steps)
    if args.rest:
        # What stands there is not said back: it may be the secret, and this may be a log.
        words = "a secret is never written on the command line, where others can read it"
        raise Stop(words, Exit.USAGE, ("setpoint secret set NAME", "consider this one known, and replace it"))
    if args.what != "list" and not args.name:
        raise Stop("say which secret", Exit.USAGE, ("setpoint secret list",))
    return ACTIONS[args.what](session, args)


def _set(session: Session, args: argparse.Namespace) -> int:
    value = asked_for(session.screen, f"{args.name}: ")
    keeps = args.keep_previous or args.what == "rotate"
    hosts = {"hosts": args.host} if args.host else {}
    made = session.client.set_secret(
        session.organization, args.name, {"value": value, "keep_previous": keeps, **hosts}
    )
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, made)
        return Exit.DONE
    screen.data(clean(f"secret://{made['name']} is at version {made['version']} ({made['digest']})"))
    if made.get("previous"):
        screen.say(
            f"  version {made['previous']['version']} stays good until everything was seen with the new one"
        )
        screen.say(f"  then: setpoint secret retire {made['name']}")
    return Exit.DONE


def _retire(session: Session, args: argparse.Namespace) -> int:
    left = session.client.retire_secret(session.organization, args.name)
    return _said(session, left, f"only version {left['version']} of {left['name']} is good now")


def _delete(session: Session, args: argparse.Namespace) -> int:
    gone = session.client.delete_secret(session.organization, args.name)
    return _said(session, gone, f"secret {gone['name']} is gone")


def _list(session: Session, args: argparse.Namespace) -> int:
    found, screen = list(session.client.secrets(session.organization)), session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(f"No secret is kept for {session.organization}.")
        screen.say("  next: setpoint secret set NAME")
    else:
        headings = ("SECRET", "VERSION", "DIGEST", "AGE", "BY", "BEFORE", "SERVES", "USED BY")
        columns = [Column(heading, gives=heading in ("BY", "SERVES", "USED BY")) for heading in headings]
        for line in painted(screen, columns, [_row(secret) for secret in found]):
            screen.data(line)
    return Exit.DONE


def _said(session: Session, body: Mapping[str, AnyJson], words: str) -> int:
    if session.screen.format not in PLAIN:
        show(session.screen, body)
    else:
        session.screen.data(clean(words))
    return Exit.DONE


def _row(secret: Mapping[str, AnyJson]) -> tuple[str, ...]:
    made = seconds_of(secret.get("created_at"))
    before, users = secret.get("previous") or {}, secret.get("used_by") or ()
    used = ", ".join(f"{each['kind']} {each['name']}{_seen(each, secret)}" for each in users)
    return (
        str(secret["name"]),
        str(secret["version"]),
        str(secret["digest"]),
        duration(now() - made) if made is not None else "",
        str(secret.get("created_by") or ""),
        str(before.get("version") or ""),
        ", ".join(secret.get("hosts") or ()),
        used,
    )


def _seen(user: Mapping[str, AnyJson], secret: Mapping[str, AnyJson]) -> str:
    """Which version it works with, where that is not the newest."""
    version = user.get("version")
    if version == secret["version"]:
        return ""
    return f" (version {version})" if version else " (not seen yet)"


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace], int]]] = {
    "set": _set,
    "rotate": _set,
    "retire": _retire,
    "list": _list,
    "delete": _delete,
}
