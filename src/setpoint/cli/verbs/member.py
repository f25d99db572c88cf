"""`setpoint member`: the people of an organization, what they may, and the link by which they come in."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.moves import agreed, told
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column
from setpoint.cli.text import clean
from setpoint.client.address import Scope
from setpoint.client.people import People
from setpoint.client.resource import Body

AnyJson = Any
LONGEST: Final = 63
EXAMPLES: Final[Mapping[str, str]] = {
    "member": """\
  setpoint member add ann@example.org --role operator --project shop --until 2026-12-31
  setpoint member list
  setpoint member invite ann@example.org       another link, where the first was lost
  setpoint member remove ann@example.org"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="add|list|invite|remove", help="what to do")
    parser.add_argument("email", nargs="?", metavar="EMAIL", help="whom; a membership's name will do as well")
    parser.add_argument("--role", help="owner, admin, operator, member, auditor, billing or one of your own")
    parser.add_argument("--until", default="", metavar="DAY", help="the last day it counts, as 2026-12-31")
    parser.add_argument("--no-invite", action="store_true", help="make no link; they are invited later")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), "setpoint member --help")
        raise Stop(f"there is no member {args.what!r}", Exit.USAGE, steps)
    if args.what != "list" and not args.email:
        raise Stop("say whom, by their address", Exit.USAGE, ("setpoint member list",))
    return ACTIONS[args.what](session, args, People(session.client, Scope(session.organization)))


def _add(session: Session, args: argparse.Namespace, people: People) -> int:
    if not args.role:
        example = "setpoint member add ann@example.org --role member --project shop"
        raise Stop("say as what: --role", Exit.USAGE, (example, "setpoint roles"))
    members = people.members()
    known = _found(members, args.email)
    name = str(known["name"]) if known else _free(members, args.email)
    spec = _spec(session, args, known)
    told(session.screen, list(people.preview("memberships", name, spec)))
    if not agreed(session, f"Save this for {args.email} in {people.scope}?", yes=args.yes):
        session.screen.say("Nothing was changed.")
        return Exit.PENDING
    saved = people.save("memberships", name, spec)
    if known and known["state"] == "accepted":
        session.screen.say(f"  {args.email} has it from the next request on")
    elif not args.no_invite:
        return _link(session, people, name)
    if session.screen.format not in PLAIN:
        show(session.screen, saved)
    return Exit.DONE


def _spec(session: Session, args: argparse.Namespace, known: Body | None) -> dict[str, AnyJson]:
    """What they have already, and the new role; the same role for the same place is given anew."""
    new = {
        "role": args.role,
        "project": session.given.project,
        "workspace": session.given.workspace,
        "until": args.until,
    }
    same = ("role", "project", "workspace")
    had = known["roles"] if known else []
    kept = [each for each in had if any(each.get(part, "") != new[part] for part in same)]
    return {"email": known["email"] if known else args.email, "roles": [*kept, new]}


def _list(session: Session, args: argparse.Namespace, people: People) -> int:
    found, screen = people.members(), session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
    elif not found:
        screen.say(f"Nobody was invited to {people.scope}.")
        screen.say("  next: setpoint member add EMAIL --role member")
    else:
        columns = [Column("NAME"), Column("EMAIL"), Column("STATE"), Column("ROLES", gives=True)]
        for line in painted(screen, columns, [_row(each) for each in found]):
            screen.data(line)
    return Exit.DONE


def _invite(session: Session, args: argparse.Namespace, people: People) -> int:
    return _link(session, people, _name(people, args.email))


def _remove(session: Session, args: argparse.Namespace, people: People) -> int:
    name = _name(people, args.email)
    had = people.spec("memberships", name)
    told(session.screen, list(people.preview("memberships", name, {**had, "roles": []})))
    if not agreed(session, f"Remove {had['email']} from {people.scope}?", yes=args.yes):
        session.screen.say("Nothing was changed.")
        return Exit.PENDING
    people.remove("memberships", name)
    session.screen.data(clean(f"{had['email']} is no member of {people.scope} any more"))
    return Exit.DONE


def _link(session: Session, people: People, name: str) -> int:
    made, screen = people.invite(name), session.screen
    if screen.format not in PLAIN:
        show(screen, made)
        return Exit.DONE
    if made["link"]:
        screen.data(str(made["link"]))
    screen.say(clean(f"  {made['email']} is invited to {people.scope} until {made['expires_at']}"))
    if made["link"]:
        screen.say("  The link works once and is shown this once: hand it on to them.")
    else:
        screen.say("  The link went out by mail, and works once.")
    return Exit.DONE


def _found(members: Sequence[Body], word: str) -> Body | None:
    wanted = word.strip().lower()
    return next((each for each in members if wanted in (each["email"], each["name"])), None)


def _name(people: People, word: str) -> str:
    members = people.members()
    found = _found(members, word)
    if found is None:
        steps = (*did_you_mean(word, [str(each["email"]) for each in members]), "setpoint member list")
        raise Stop(f"{word} was not invited to {people.scope}", Exit.FAILED, steps)
    return str(found["name"])


def _free(members: Sequence[Body], email: str) -> str:
    """What the membership is called: the address, in letters that names have."""
    name = re.sub(r"[^a-z0-9._-]+", "-", email.strip().lower()).strip("._-")[:LONGEST].rstrip("._-")
    taken = {str(each["name"]) for each in members}
    numbered = (f"{name[: LONGEST - 4]}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)


def _row(member: Body) -> tuple[str, ...]:
    roles = ", ".join(_given(each) for each in member["roles"]) or "none"
    return str(member["name"]), str(member["email"]), str(member["state"]), roles


def _given(role: Mapping[str, str]) -> str:
    where = "/".join(part for part in (role.get("project"), role.get("workspace")) if part)
    until = f" until {role['until']}" if role.get("until") else ""
    return f"{role['role']}{f' in {where}' if where else ''}{until}"


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace, People], int]]] = {
    "add": _add,
    "list": _list,
    "invite": _invite,
    "remove": _remove,
}
