"""`setpoint token` and `setpoint key`: credentials, each with a role, a reach and an end."""

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
from setpoint.client.address import Scope
from setpoint.client.people import People
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "token": """\
  setpoint token create ci --role operator --project shop --days 30
  setpoint token create laptop --mine          acts as you, and never does more than you may
  setpoint token list
  setpoint token revoke ID                     from the next request on it opens nothing
  setpoint roles                               what each role allows""",
    "key": """\
  setpoint key create in-cluster --role operator --project shop --workspace prod
  setpoint key list --project shop --workspace prod
  setpoint key revoke ID --project shop --workspace prod""",
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="create|list|revoke", help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME|ID", help="who it is for; which one to revoke")
    parser.add_argument("--role", help="owner, admin, operator, member, auditor, billing or one of your own")
    parser.add_argument("--days", type=int, help="for how long; 90 where nothing is said, at most 365")
    parser.add_argument("--about", help="what it is for, as others will read it")
    parser.add_argument(
        "--from", action="append", dest="addresses", metavar="NETWORK", help="use it from there only"
    )
    parser.add_argument("--may-approve", action="store_true", help="it may say yes to held plans too")
    if verb == "token":
        parser.add_argument("--mine", action="store_true", help="one of your own: it acts as you")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), f"setpoint {args.verb} --help")
        raise Stop(f"there is no {args.verb} {args.what!r}", Exit.USAGE, steps)
    return ACTIONS[args.what](session, args)


def _create(session: Session, args: argparse.Namespace) -> int:
    mine = getattr(args, "mine", False)
    if not args.name or not (args.role or mine):
        example = f"setpoint {args.verb} create ci --role operator --project shop"
        raise Stop("say who it is for, and its --role", Exit.USAGE, (example, "setpoint roles"))
    body = _wanted(session, args)
    made = _people(session, args).make_mine(body) if mine else _people(session, args).give(_what(args), body)
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, made)
        return Exit.DONE
    screen.data(str(made["token"]))
    where = f"{made['role']} in {made['scope']}" if made["scope"] else "you"
    screen.say(clean(f"  {made['name']} is {where} until {made['expires_at']}"))
    screen.say("  It is shown this once. Keep it where only its holder reads it: SETPOINT_TOKEN")
    screen.say(f"  to take it back: {_again(session, args)} revoke {made['id']}{' --mine' if mine else ''}")
    return Exit.DONE


def _wanted(session: Session, args: argparse.Namespace) -> dict[str, AnyJson]:
    asked = {"name": args.name, "role": args.role, "days": args.days, "about": args.about}
    asked |= {"addresses": args.addresses, "may_approve": args.may_approve}
    given = session.given
    if args.verb == "token":
        asked |= {"project": given.project, "workspace": given.workspace}
    if getattr(args, "mine", False):
        named = given.organization or (session.organization if args.role or given.project else "")
        asked |= {"organization": named}
    return {key: value for key, value in asked.items() if value}


def _list(session: Session, args: argparse.Namespace) -> int:
    people, screen = _people(session, args), session.screen
    found = list(people.mine() if getattr(args, "mine", False) else people.credentials(_what(args)))
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(f"No {args.verb} was given out in {people.scope}.")
        screen.say(f"  next: {_again(session, args)} create NAME --role auditor")
    else:
        headings = (args.verb.upper(), "NAME", "ROLE", "SCOPE", "ENDS IN", "USED", "BY", "ABOUT")
        columns = [Column(heading, gives=heading in ("SCOPE", "ABOUT")) for heading in headings]
        for line in painted(screen, columns, [_row(token) for token in found]):
            screen.data(line)
    return Exit.DONE


def _revoke(session: Session, args: argparse.Namespace) -> int:
    if not args.name:
        raise Stop("say which one, by its id", Exit.USAGE, (f"{_again(session, args)} list",))
    people, mine = _people(session, args), getattr(args, "mine", False)
    gone = people.revoke_mine(args.name) if mine else people.revoke(_what(args), args.name)
    if session.screen.format not in PLAIN:
        show(session.screen, gone)
        return Exit.DONE
    session.screen.data(clean(f"{args.verb} {gone['id']} of {gone['name']} opens nothing any more"))
    return Exit.DONE


def _people(session: Session, args: argparse.Namespace) -> People:
    """Tokens are an organization's, or nobody's but one's own; keys are a workspace's."""
    if getattr(args, "mine", False):
        return People(session.client, Scope())
    if args.verb == "token":
        return People(session.client, Scope(session.organization))
    if not session.given.project or not session.given.workspace:
        raise Stop("a key is of one workspace; name it", Exit.USAGE, ("--project NAME --workspace NAME",))
    return People(session.client, session.scope)


def _what(args: argparse.Namespace) -> str:
    return f"{args.verb}s"


def _again(session: Session, args: argparse.Namespace) -> str:
    """The command as it goes on: a key is found where it is."""
    if args.verb == "token":
        return "setpoint token"
    return f"setpoint key --project {session.given.project} --workspace {session.given.workspace}"


def _row(token: Mapping[str, AnyJson]) -> tuple[str, ...]:
    ends, used = seconds_of(token.get("expires_at")), seconds_of(token.get("seen_at"))
    left = "never" if ends is None else duration(ends - now()) if ends > now() else "over"
    ago = "never" if used is None else f"{duration(now() - used)} ago"
    words = (token[key] for key in ("id", "name", "role", "scope"))
    return (*map(str, words), left, ago, str(token.get("created_by") or ""), str(token.get("about") or ""))


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace], int]]] = {
    "create": _create,
    "list": _list,
    "revoke": _revoke,
}
