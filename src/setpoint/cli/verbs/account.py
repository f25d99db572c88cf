"""`setpoint account`: one's own password and second factor; for administrators, everybody's account."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, said, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column
from setpoint.cli.text import clean

AnyJson = Any
INSTEAD: Final = "run it in a terminal"
EXAMPLES: Final[Mapping[str, str]] = {
    "account": """\
  setpoint account password                    a new one for yourself; other sessions end
  setpoint account second-factor               adds one; --off takes it away
  setpoint account list
  setpoint account invite bob@acme.example     the letter is in: setpoint outbox
  setpoint account disable bob@acme.example    out at their next request; enable lets them back
  setpoint account change bob@acme.example --administrator yes
  setpoint account delete bob@acme.example"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", metavar="password|second-factor|list|invite|disable|enable|change|delete")
    parser.add_argument("email", nargs="?", metavar="EMAIL", help="whose account")
    parser.add_argument("--name", help="what the person is called")
    parser.add_argument("--administrator", choices=("yes", "no"), help="of this whole installation")
    parser.add_argument("--off", action="store_true", help="take the second factor away, a lost one too")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), "setpoint account --help")
        raise Stop(f"there is no account {args.what!r}", Exit.USAGE, steps)
    if args.what not in ("password", "second-factor", "list") and not args.email:
        raise Stop("say whose account, by their address", Exit.USAGE, ("setpoint account list",))
    return ACTIONS[args.what](session, args)


def _password(session: Session, args: argparse.Namespace) -> int:
    screen = session.screen
    password = screen.ask_unseen("New password, 15 characters or more: ", INSTEAD)
    if screen.ask_unseen("Once more: ", INSTEAD) != password:
        raise Stop("these are two passwords; nothing was changed", Exit.USAGE)
    ended = session.identity.set_password(password)
    said(screen, f"your password is changed; other sessions ended: {ended['sessions_ended']}", ended)
    return Exit.DONE


def _second_factor(session: Session, args: argparse.Namespace) -> int:
    screen = session.screen
    if args.email:
        if not args.off:
            raise Stop("only a person adds a second factor, to their own account", Exit.USAGE)
        return _changed(session, args, {"second_factor": False})
    if args.off:
        gone = session.identity.drop_second_factor()
        said(screen, "your second factor is taken away; the password alone signs you in", gone)
        return Exit.DONE
    begun = session.identity.begin_second_factor()
    screen.say("Add this to your authenticator; it is shown this once:")
    screen.data(clean(f"  key  {begun['key']}"))
    screen.data(clean(f"  uri  {begun['uri']}"))
    code = screen.ask("The code it shows now: ", INSTEAD)
    codes = session.identity.confirm_second_factor(code)["recovery_codes"]
    screen.say("From now on signing in needs a code. Each of these works once, without the authenticator:")
    for each in codes:
        screen.data(f"  {each}")
    screen.say("They are shown this once. Keep them on paper.")
    return Exit.DONE


def _list(session: Session, args: argparse.Namespace) -> int:
    found, screen = list(session.identity.accounts()), session.screen
    if screen.format not in PLAIN:
        show(screen, listed(found))
        return Exit.DONE
    if not found:
        screen.say("Nobody has an account yet.")
        screen.say("  the link for the first administrator is printed when the control plane starts")
    headings = ("EMAIL", "STATE", "SECOND FACTOR", "ADMINISTRATOR", "NAME", "BY")
    for line in painted(screen, [Column(each) for each in headings], [_row(each) for each in found]):
        screen.data(line)
    return Exit.DONE


def _invite(session: Session, args: argparse.Namespace) -> int:
    wanted = {"email": args.email, "name": args.name, "administrator": args.administrator == "yes"}
    made = session.identity.invite({key: value for key, value in wanted.items() if value})
    words = clean(f"{made['email']} is invited; the letter with the link waits to be handed on")
    said(session.screen, words, made)
    session.screen.say("  next: setpoint outbox")
    return Exit.DONE


def _disable(session: Session, args: argparse.Namespace) -> int:
    return _changed(session, args, {"disabled": True})


def _enable(session: Session, args: argparse.Namespace) -> int:
    return _changed(session, args, {"disabled": False})


def _change(session: Session, args: argparse.Namespace) -> int:
    wanted: dict[str, AnyJson] = {} if args.name is None else {"name": args.name}
    if args.administrator:
        wanted["administrator"] = args.administrator == "yes"
    if not wanted:
        raise Stop("say what is to change", Exit.USAGE, ("--name NAME", "--administrator yes|no"))
    return _changed(session, args, wanted)


def _changed(session: Session, args: argparse.Namespace, wanted: Mapping[str, AnyJson]) -> int:
    after = session.identity.change_account(str(_found(session, args.email)["id"]), wanted)
    role = ", administrator" if after["administrator"] else ""
    factor = "with" if after["second_factor"] else "without"
    words = clean(f"{after['email']} is {after['state']}{role}, {factor} a second factor")
    said(session.screen, words, after)
    return Exit.DONE


def _delete(session: Session, args: argparse.Namespace) -> int:
    found, screen = _found(session, args.email), session.screen
    question = (
        f"Delete the account of {found['email']} at {session.endpoint.place}? Type the address to go on: "
    )
    if not args.yes and screen.ask(question, "say --yes to delete without being asked") != found["email"]:
        screen.say("Nothing was deleted.")
        return Exit.PENDING
    gone = session.identity.delete_account(str(found["id"]))
    words = clean(f"the account of {gone['email']} is deleted, with everything that acted in its name")
    said(screen, words, gone)
    return Exit.DONE


def _found(session: Session, email: str) -> Mapping[str, AnyJson]:
    every = list(session.identity.accounts())
    wanted = email.strip().casefold()
    for each in every:
        if wanted in (str(each["email"]), str(each["id"])):
            return each
    steps = (*did_you_mean(email, [str(each["email"]) for each in every]), "setpoint account list")
    raise Stop(f"there is no account of {email}", Exit.FAILED, steps)


def _row(account: Mapping[str, AnyJson]) -> tuple[str, ...]:
    said = ("yes" if account[key] else "no" for key in ("second_factor", "administrator"))
    state, by = str(account["state"]), str(account.get("created_by") or "")
    return (str(account["email"]), state, *said, str(account.get("name") or ""), by)


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace], int]]] = {
    "password": _password,
    "second-factor": _second_factor,
    "list": _list,
    "invite": _invite,
    "disable": _disable,
    "enable": _enable,
    "change": _change,
    "delete": _delete,
}
