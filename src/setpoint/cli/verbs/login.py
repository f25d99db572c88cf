"""`setpoint login` and `logout`: sign in at a server, or set up an account there with a link."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from setpoint.cli.context import Context, contexts_in
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.output import said
from setpoint.cli.session import Session
from setpoint.cli.text import clean
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused, Unreachable

AnyJson = Any
LINK: Final = "setpoint_lnk_"
TRIES: Final = 3
INVALID: Final = 422
UNKNOWN: Final = 401
INSTEAD: Final = "say --email and pipe the password in: --password-stdin"
EXAMPLES: Final[Mapping[str, str]] = {
    "login": """\
  setpoint login https://setpoint.example
  setpoint login 'https://setpoint.example/start#setpoint_lnk_…'     sets up your account
  setpoint login --context prod                                      signs in there again
  setpoint login --forgot ann@acme.example                           asks for a new password""",
    "logout": "  setpoint logout\n  setpoint logout --context prod",
}


def flags(parser: Parser, verb: str) -> None:
    if verb == "logout":
        return
    parser.add_argument("where", nargs="?", metavar="URL|LINK", help="default: the server in use")
    parser.add_argument("--email", help="who you are; asked for where it is left out")
    parser.add_argument("--name", help="what a context for this server is to be called")
    parser.add_argument("--password-stdin", action="store_true", help="read the password from a pipe")
    parser.add_argument("--forgot", metavar="EMAIL", help="have a letter written for a new password")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.verb == "logout":
        return _sign_out(session)
    url, link = _parted(str(args.where or ""), session.endpoint.url)
    there = replace(session, endpoint=Endpoint(url))
    try:
        if args.forgot:
            told = there.identity.forgot(args.forgot)
            said(session.screen, clean(str(told["detail"])), told)
            session.screen.say("  whoever administers the installation finds it with: setpoint outbox")
            return Exit.DONE
        made = _set_up(there, args, link) if link else _signed_in(there, args)
    finally:
        there.close()
    return _kept(session, args, url, made)


def _parted(word: str, usual: str) -> tuple[str, str]:
    """An address, a link with its address before the #, or a link alone."""
    if LINK not in word:
        return (word or usual).rstrip("/"), ""
    place, _, secret = word.rpartition("#")
    return place.removesuffix("/start").rstrip("/") or usual, secret


def _signed_in(there: Session, args: argparse.Namespace) -> Mapping[str, AnyJson]:
    screen = there.screen
    email = args.email or screen.ask(f"Email at {there.endpoint.url}: ", INSTEAD)
    password = _password(there, args, f"Password at {there.endpoint.url}: ")
    try:
        return there.identity.sign_in({"email": email, "password": password})
    except Refused as error:
        if error.problem.code != "code_needed" or not screen.can_ask:
            raise
    code = screen.ask("Code of your authenticator, or a recovery code: ", INSTEAD)
    return there.identity.sign_in({"email": email, "password": password, "code": code})


def _set_up(there: Session, args: argparse.Namespace, link: str) -> Mapping[str, AnyJson]:
    """What the link asks for, and again where something was wrong: it stays good until it is used."""
    told, screen = there.identity.open_link(link), there.screen
    for line in _welcome(told, there.endpoint.url):
        screen.say(clean(line))
    for attempt in range(TRIES):
        try:
            return there.identity.use_link({"link": link, **_answers(there, args, told)})
        except Refused as error:
            wrong = error.problem.status == INVALID or error.problem.code in ("wrong_password", "code_needed")
            if not wrong or not screen.can_ask or attempt == TRIES - 1:
                raise
            if error.problem.code == "code_needed":
                told = {**told, "has_second_factor": True}
            for mistake in error.problem.mistakes or (error.problem.detail,):
                screen.say(f"  {clean(mistake if isinstance(mistake, str) else mistake.message)}")
    raise AssertionError  # The last try returned or raised.


def _welcome(told: Mapping[str, AnyJson], url: str) -> tuple[str, ...]:
    match told["purpose"]:
        case "first":
            return (f"You become the first administrator of {url}.", "A password has 15 characters or more.")
        case "recover":
            return (f"A new password for {told['email']} at {url}; your sessions and tokens end.",)
        case _:
            return (
                f"You are invited as {told['email']} at {url}.",
                "Prove who you are with your password there; without an account yet, choose a new one.",
                "A new password has 15 characters or more.",
            )


def _answers(there: Session, args: argparse.Namespace, told: Mapping[str, AnyJson]) -> dict[str, str]:
    screen, answers = there.screen, {}
    invited = told["purpose"] == "invite"
    if told["purpose"] == "first":
        answers["email"] = args.email = args.email or screen.ask("Your email: ", INSTEAD)
    if told["purpose"] != "recover" and screen.can_ask and not args.password_stdin:
        args.called = getattr(args, "called", "") or screen.ask(_named(told), INSTEAD)
        answers["name"] = args.called
    password = _password(there, args, "Password, yours or a new one: " if invited else "New password: ")
    if not args.password_stdin and screen.ask_unseen("Once more: ", INSTEAD) != password:
        raise Stop("these are two passwords; nothing was changed", Exit.USAGE, ("setpoint login LINK",))
    if told["has_second_factor"]:
        answers["code"] = screen.ask("Code of your authenticator, or a recovery code: ", INSTEAD)
    return {key: value for key, value in {**answers, "password": password}.items() if value}


def _named(told: Mapping[str, AnyJson]) -> str:
    return clean(f"Your name [{told['name']}]: ") if told["name"] else "Your name: "


def _password(there: Session, args: argparse.Namespace, question: str) -> str:
    if args.password_stdin:
        return there.screen.stdin.readline().removesuffix("\n").removesuffix("\r")
    return there.screen.ask_unseen(question, INSTEAD)


def _kept(session: Session, args: argparse.Namespace, url: str, made: Mapping[str, AnyJson]) -> int:
    """The session goes into the context of its server, which is in use from now on."""
    contexts, screen = contexts_in(session.screen.environment), session.screen
    name = args.name or args.context or contexts.named_for(url)
    known = contexts.known.get(name)
    context = known if known is not None and known.url == url else Context(name, url)
    contexts.with_one(replace(context, token=str(made["token"])), use=True).save()
    body = {key: value for key, value in made.items() if key != "token"} | {"context": name}
    said(screen, clean(f"signed in at {url} as {made['email']}; context {name} is in use"), body)
    screen.say("  next: setpoint get all")
    return Exit.DONE


def _sign_out(session: Session) -> int:
    """Ended there and forgotten here; what cannot be reached is forgotten all the same."""
    contexts, screen = contexts_in(session.screen.environment), session.screen
    context = contexts.known.get(session.endpoint.context)
    if context is None or not context.token:
        raise Stop("nobody is signed in here", Exit.FAILED, ("setpoint contexts", "setpoint login URL"))
    contexts.with_one(replace(context, token="")).save()
    try:
        session.identity.sign_out()
    except Unreachable as error:
        screen.say(f"{error.url} cannot be reached: the session is forgotten here, and ends there by itself")
    except Refused as error:
        if error.problem.status != UNKNOWN:
            raise
    words = f"signed out at {context.url}; context {context.name} keeps its place"
    said(screen, words, {"context": context.name, "url": context.url, "signed_in": False})
    return Exit.DONE
