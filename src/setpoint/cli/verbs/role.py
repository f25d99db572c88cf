"""`setpoint role`: roles of an organization's own; who gains and who loses is shown before it is saved."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.expand import declarations_in
from setpoint.cli.files import Mistaken
from setpoint.cli.flags import Parser
from setpoint.cli.moves import agreed, told
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.client.address import Scope
from setpoint.client.people import People

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "role": """\
  setpoint role set dns --allow "read,update project.dns_zone" --forbid "delete project.*" --project shop
  setpoint role preview -f people.yaml          who would gain and lose what; saves nothing
  setpoint role remove dns
  setpoint roles dns                            one role, rule by rule"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="set|preview|remove", help="what to do")
    parser.add_argument("name", nargs="?", help="which role")
    rule = 'as "read,update project.*"'
    parser.add_argument(
        "--allow", action="append", default=[], metavar="RULE", help=f"verbs and keys, {rule}"
    )
    parser.add_argument("--forbid", action="append", default=[], metavar="RULE", help="wins over every allow")
    parser.add_argument("--about", default="", help="what it is for, as others will read it")
    parser.add_argument("-f", "--file", action="append", metavar="FILE", help="preview what these files say")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="for those files")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), "setpoint role --help")
        raise Stop(f"there is no role {args.what!r}", Exit.USAGE, steps)
    return ACTIONS[args.what](session, args)


def _set(session: Session, args: argparse.Namespace) -> int:
    spec, people = _spec(session, args), _people(session)
    moves = list(people.preview("roles", args.name, spec))
    told(session.screen, moves)
    if not agreed(session, f"Save role {args.name} in {people.scope}?", yes=args.yes):
        session.screen.say("Nothing was changed.")
        return Exit.PENDING
    saved = people.save("roles", args.name, spec)
    if session.screen.format not in PLAIN:
        show(session.screen, saved)
    else:
        session.screen.say(f"  role {args.name} is saved")
        session.screen.say(f"  next: setpoint member add EMAIL --role {args.name}")
    return Exit.DONE


def _preview(session: Session, args: argparse.Namespace) -> int:
    people, moves = _people(session), []
    for plural, name, spec in _previewed(session, args):
        moves += list(people.preview(plural, name, spec))
    if session.screen.format not in PLAIN:
        show(session.screen, listed(moves))
    else:
        told(session.screen, moves)
    return Exit.DONE


def _previewed(session: Session, args: argparse.Namespace) -> list[tuple[str, str, AnyJson]]:
    if not args.file:
        return [("roles", args.name, _spec(session, args))]
    files = declarations_in(session, args)
    if files.findings:
        raise Mistaken(files.findings)
    said = files.declarations()
    kinds = {"role": "roles", "membership": "memberships"}
    found = [each for each in said if each.get("kind") in kinds]
    if not found:
        raise Stop("these files declare no role and no membership", Exit.USAGE, ("setpoint explain role",))
    return [
        (kinds[each["kind"]], str((each.get("metadata") or {}).get("name", "")), each.get("spec") or {})
        for each in found
    ]


def _remove(session: Session, args: argparse.Namespace) -> int:
    people, name = _people(session), _named(args)
    if not agreed(session, f"Remove role {name} from {people.scope}?", yes=args.yes):
        session.screen.say("Nothing was changed.")
        return Exit.PENDING
    people.remove("roles", name)
    session.screen.data(f"role {name} is gone")
    return Exit.DONE


def _spec(session: Session, args: argparse.Namespace) -> dict[str, AnyJson]:
    _named(args)
    place = {"project": session.given.project, "workspace": session.given.workspace}
    narrowed = {part: name for part, name in place.items() if name}
    rules = [
        _rule(text, effect) | narrowed for effect in ("allow", "forbid") for text in getattr(args, effect)
    ]
    if not rules:
        raise Stop("say what it allows", Exit.USAGE, ('setpoint role set NAME --allow "read project.*"',))
    return {"rules": rules, "about": args.about}


def _rule(text: str, effect: str) -> dict[str, AnyJson]:
    verbs, _, keys = text.strip().partition(" ")
    if not keys.strip():
        raise Stop(
            f"{text!r} is no rule: verbs come first, then keys", Exit.USAGE, ('"read,update project.*"',)
        )
    return {"verbs": _words(verbs), "keys": _words(keys), "effect": effect}


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _named(args: argparse.Namespace) -> str:
    if not args.name:
        raise Stop("say which role, by its name", Exit.USAGE, ("setpoint roles", "setpoint role --help"))
    return str(args.name)


def _people(session: Session) -> People:
    return People(session.client, Scope(session.organization))


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace], int]]] = {
    "set": _set,
    "preview": _preview,
    "remove": _remove,
}
