"""`setpoint token`: credentials for people and programs, each with a role, a reach and an end."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
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
    "token": """\
  setpoint token create ci --role operator --project shop --days 30
  setpoint token list
  setpoint token revoke ID                     from the next request on it opens nothing
  setpoint roles                               what each role allows"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="create|list|revoke", help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME|ID", help="who it is for; which one to revoke")
    parser.add_argument("--role", help="owner, admin, operator, member, auditor or billing")
    parser.add_argument("--days", type=int, help="for how long; 90 where nothing is said, at most 365")
    parser.add_argument("--about", help="what it is for, as others will read it")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), "setpoint token --help")
        raise Stop(f"there is no token {args.what!r}", Exit.USAGE, steps)
    return ACTIONS[args.what](session, args)


def _create(session: Session, args: argparse.Namespace) -> int:
    if not args.name or not args.role:
        example = "setpoint token create ci --role operator --project shop"
        raise Stop("say who it is for, and its --role", Exit.USAGE, (example, "setpoint roles"))
    asked = {"name": args.name, "role": args.role, "days": args.days, "about": args.about}
    scope = {"project": session.given.project, "workspace": session.given.workspace}
    body = {key: value for key, value in (asked | scope).items() if value}
    made = session.client.create_token(session.organization, body)
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, made)
        return Exit.DONE
    screen.data(str(made["token"]))
    screen.say(clean(f"  {made['name']} is {made['role']} in {made['scope']} until {made['expires_at']}"))
    screen.say("  It is shown this once. Keep it where only its holder reads it: SETPOINT_TOKEN")
    screen.say(f"  to take it back: setpoint token revoke {made['id']}")
    return Exit.DONE


def _list(session: Session, args: argparse.Namespace) -> int:
    found, screen = list(session.client.tokens(session.organization)), session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(f"No token was given out in {session.organization}.")
        screen.say("  next: setpoint token create NAME --role auditor")
    else:
        headings = ("TOKEN", "NAME", "ROLE", "SCOPE", "ENDS IN", "BY", "ABOUT")
        columns = [Column(heading, gives=heading in ("SCOPE", "ABOUT")) for heading in headings]
        for line in painted(screen, columns, [_row(token) for token in found]):
            screen.data(line)
    return Exit.DONE


def _revoke(session: Session, args: argparse.Namespace) -> int:
    if not args.name:
        raise Stop("say which one, by its id", Exit.USAGE, ("setpoint token list",))
    gone = session.client.revoke_token(session.organization, args.name)
    if session.screen.format not in PLAIN:
        show(session.screen, gone)
        return Exit.DONE
    session.screen.data(clean(f"token {gone['id']} of {gone['name']} opens nothing any more"))
    return Exit.DONE


def _row(token: Mapping[str, AnyJson]) -> tuple[str, ...]:
    ends = seconds_of(token.get("expires_at"))
    left = "never" if ends is None else duration(ends - now()) if ends > now() else "over"
    words = (token[key] for key in ("id", "name", "role", "scope"))
    return (*map(str, words), left, str(token.get("created_by") or ""), str(token.get("about") or ""))


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace], int]]] = {
    "create": _create,
    "list": _list,
    "revoke": _revoke,
}
