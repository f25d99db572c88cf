"""`setpoint contexts`: the places somebody works at, and which one is in use. Nothing is asked of the API."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from setpoint.cli.context import Context, Contexts, contexts_in
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, said, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "contexts": """\
  setpoint contexts
  setpoint contexts use prod
  setpoint contexts set prod --url https://setpoint.example -O acme -p shop
  setpoint contexts forget old
  setpoint get hosts --context staging          one command somewhere else"""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("what", nargs="?", default="list", metavar="list|use|current|set|forget")
    parser.add_argument("name", nargs="?", metavar="NAME", help="which one")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.what not in ACTIONS:
        steps = (*did_you_mean(args.what, ACTIONS), "setpoint contexts --help")
        raise Stop(f"there is no contexts {args.what!r}", Exit.USAGE, steps)
    contexts = contexts_in(session.screen.environment)
    if args.what in ("use", "set", "forget") and not args.name:
        raise Stop("say which context, by its name", Exit.USAGE, ("setpoint contexts",))
    return ACTIONS[args.what](session, args, contexts)


def _list(session: Session, args: argparse.Namespace, contexts: Contexts) -> int:
    screen, known = session.screen, sorted(contexts.known.values(), key=lambda each: each.name)
    if screen.format not in PLAIN:
        show(screen, listed([_body(each, contexts) for each in known]))
    elif not known:
        screen.say("There is no context yet.")
        screen.say("  next: setpoint login URL")
    else:
        headings = ("CONTEXT", "SERVER", "ORGANIZATION", "PROJECT", "WORKSPACE", "CREDENTIAL")
        columns = [Column(heading, gives=heading == "SERVER") for heading in headings]
        for line in painted(screen, columns, [_row(each, contexts) for each in known]):
            screen.data(line)
    return Exit.DONE


def _use(session: Session, args: argparse.Namespace, contexts: Contexts) -> int:
    wanted = _known(contexts, args.name)
    after = replace(contexts, current=wanted.name)
    after.save()
    said(session.screen, f"context {wanted.name} is in use: {wanted.url}", _body(wanted, after))
    if "SETPOINT_URL" in session.screen.environment:
        session.screen.say("  SETPOINT_URL is set here, and wins over it")
    return Exit.DONE


def _current(session: Session, args: argparse.Namespace, contexts: Contexts) -> int:
    found = contexts.chosen()
    if found is None:
        raise Stop("no context is in use", Exit.FAILED, ("setpoint contexts use NAME", "setpoint login URL"))
    said(session.screen, found.name, _body(found, contexts))
    return Exit.DONE


def _set(session: Session, args: argparse.Namespace, contexts: Contexts) -> int:
    known = contexts.known.get(args.name)
    url = (args.url or (known.url if known else session.endpoint.url)).rstrip("/")
    # A credential is for its server: it does not go along to another one.
    kept = known if known is not None and known.url == url else Context(args.name, url)
    given = {key: getattr(args, key) for key in ("organization", "project", "workspace", "token")}
    after = replace(kept, **{key: value for key, value in given.items() if value is not None})
    contexts.with_one(after).save()
    scope = "/".join(filter(None, (after.organization, after.project, after.workspace)))
    said(session.screen, f"context {after.name} is {after.url} {scope}".rstrip(), _body(after, contexts))
    return Exit.DONE


def _forget(session: Session, args: argparse.Namespace, contexts: Contexts) -> int:
    gone = _known(contexts, args.name)
    contexts.without(gone.name).save()
    said(session.screen, f"context {gone.name} is forgotten", _body(gone, contexts))
    return Exit.DONE


def _known(contexts: Contexts, name: str) -> Context:
    if name not in contexts.known:
        steps = (*did_you_mean(name, contexts.known), "setpoint contexts")
        raise Stop(f"there is no context {name!r}", Exit.FAILED, steps)
    return contexts.known[name]


def _row(context: Context, contexts: Contexts) -> tuple[str, ...]:
    name = f"{context.name} *" if context.name == contexts.current else context.name
    scope = (context.organization, context.project, context.workspace)
    return (name, context.url, *scope, _credential(context))


def _body(context: Context, contexts: Contexts) -> dict[str, AnyJson]:
    """All but the credential itself."""
    keys = ("name", "url", "organization", "project", "workspace")
    shown = {key: getattr(context, key) for key in keys}
    return {**shown, "signed_in": _credential(context), "current": context.name == contexts.current}


def _credential(context: Context) -> str:
    if not context.token:
        return "none"
    return "session" if context.token.startswith("setpoint_ses_") else "token"


ACTIONS: Final[Mapping[str, Callable[[Session, argparse.Namespace, Contexts], int]]] = {
    "list": _list,
    "use": _use,
    "current": _current,
    "set": _set,
    "forget": _forget,
}
