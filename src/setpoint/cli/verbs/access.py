"""`setpoint can-i`, `who-can` and `roles`: who may do what, with the rule that decides."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column
from setpoint.cli.text import clean, folded
from setpoint.client.address import Scope
from setpoint.client.errors import Refused
from setpoint.client.people import People

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "can-i": """\
  setpoint can-i delete host --project shop --workspace prod
  setpoint can-i update dns_zone example-org --project shop
  setpoint can-i execute organization.plan.approve --explain
  setpoint can-i delete host --who ann@example.org""",
    "who-can": """\
  setpoint who-can execute organization.plan.approve
  setpoint who-can delete host --project shop""",
    "roles": "  setpoint roles\n  setpoint roles operator",
}


def flags(parser: Parser, verb: str) -> None:
    if verb == "roles":
        parser.add_argument("role", nargs="?", help="one role, rule by rule")
        return
    parser.add_argument("action", metavar="VERB", help="read, create, update, delete or execute")
    parser.add_argument("key", metavar="KIND|KEY", help="a kind, or a key as organization.plan.approve")
    parser.add_argument("name", nargs="?", help="one object")
    if verb == "can-i":
        parser.add_argument(
            "--explain", action="store_true", help="every rule, and why it does not reach this"
        )
        parser.add_argument("--who", metavar="EMAIL|TOKEN", help="ask about somebody else, with every rule")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.verb == "roles":
        return _roles(session, args)
    query = _query(session, args)
    return _can_i(session, args, query) if args.verb == "can-i" else _who_can(session, args, query)


def _can_i(session: Session, args: argparse.Namespace, query: Mapping[str, str]) -> int:
    said, screen = _said(session, args, query), session.screen
    if screen.format not in PLAIN:
        show(screen, said)
    else:
        screen.data(clean(f"{'yes' if said['allowed'] else 'no'}: {said['reason']}"))
        for line in _rules(said):
            for part in folded(clean(line), screen.columns, 6):
                screen.data(part)
        if not said["allowed"]:
            screen.say(f"  next: setpoint who-can {args.action} {args.key}")
    return Exit.DONE if said["allowed"] else Exit.FAILED


def _said(session: Session, args: argparse.Namespace, query: Mapping[str, str]) -> AnyJson:
    if args.who:
        people = People(session.client, Scope(session.organization))
        return people.explain({**query, "who": args.who})[0]
    return session.client.can_i({**query, "explain": "1"} if args.explain else query)


def _rules(said: Mapping[str, AnyJson]) -> list[str]:
    """Every rule that was considered, those of a token before those of whoever made it."""
    parts = [("", said.get("rules") or ()), ("whoever made the token: ", said.get("owner") or ())]
    return [
        f"  {'=' if rule['reaches'] else ' '} {whose}{rule['role']}{_in(rule)} {rule['effect']}s "
        f"{', '.join(rule['verbs'])} of {', '.join(rule['keys'])}: {rule['because']}"
        for whose, rules in parts
        for rule in rules
    ]


def _in(rule: Mapping[str, AnyJson]) -> str:
    return f" in {rule['scope']}" if rule["scope"] else ""


def _who_can(session: Session, args: argparse.Namespace, query: Mapping[str, str]) -> int:
    found, screen = session.client.who_can(session.organization, query), session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say("Nobody may.")
        screen.say("  next: setpoint token create NAME --role ROLE")
    else:
        columns = [Column("NAME"), Column("BECAUSE", gives=True)]
        for line in painted(screen, columns, [(str(one["name"]), str(one["reason"])) for one in found]):
            screen.data(line)
    return Exit.DONE


def _roles(session: Session, args: argparse.Namespace) -> int:
    roles, screen = [*session.client.roles(), *_own(session)], session.screen
    known = [str(role["name"]) for role in roles]
    if args.role and args.role not in known:
        steps = (*did_you_mean(args.role, known), "setpoint roles")
        raise Stop(f"there is no role {args.role!r}", Exit.FAILED, steps)
    if args.role:
        roles = [role for role in roles if role["name"] == args.role]
    if screen.format not in PLAIN:
        show(screen, listed(roles))
        return Exit.DONE
    if args.role:
        screen.data(screen.paint(roles[0]["name"], "heading") + f"  {roles[0]['about']}")
        for rule in roles[0]["rules"]:
            said = f"  {rule['effect']}s {', '.join(rule['verbs'])} of {', '.join(rule['keys'])}"
            for line in folded(said, screen.columns, 4):
                screen.data(line)
        return Exit.DONE
    columns = [Column("ROLE"), Column("MAY", gives=True)]
    for line in painted(screen, columns, [(str(role["name"]), str(role["about"])) for role in roles]):
        screen.data(line)
    return Exit.DONE


def _own(session: Session) -> list[AnyJson]:
    """Those that the organization made itself, where one is known and they are ours to read."""
    try:
        kind = session.catalogue.find("role")
        found = list(session.client.objects(kind, Scope(session.organization)))
    except (Refused, Stop):
        return []
    return [{"name": each.name, **each.body["spec"]} for each in found]


def _query(session: Session, args: argparse.Namespace) -> dict[str, str]:
    scope = session.scope
    asked = {"organization": scope.organization, "project": scope.project, "workspace": scope.workspace}
    asked |= {"verb": args.action, "key": _key(session, args.key), "name": args.name or ""}
    return {name: value for name, value in asked.items() if value}


def _key(session: Session, word: str) -> str:
    """A key as it is, or that of the kind people mean."""
    keys = [str(one["key"]) for one in session.client.permissions()]
    if word in keys:
        return word
    short = [key for key in keys if key.rpartition(".")[2] == word.removesuffix("s").replace("-", "_")]
    if len(short) == 1:
        return short[0]
    raise Stop(f"there is no key {word!r}", Exit.USAGE, (*did_you_mean(word, keys), "setpoint roles"))
