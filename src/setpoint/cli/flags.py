"""Flags that every verb has, and a parser that refuses in our own words."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from setpoint.cli.context import Context, contexts_in
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.output import FORMATS
from setpoint.cli.suggest import closest
from setpoint.client.address import Scope
from setpoint.client.endpoint import Endpoint

DEFAULT_URL: Final = "http://127.0.0.1:7410"
DEFAULT_TOKEN_FILE: Final = ".setpoint/admin.token"  # noqa: S105 - a path
VALUED: Final = frozenset(
    {
        *("--url", "--token", "--context", "-O", "--organization", "-p", "--project", "-w", "--workspace"),
        *("-o", "--output"),
    }
)
"""Flags that may stand before the verb, each with its value."""


class Parser(argparse.ArgumentParser):
    """Mistakes become a Stop, with the flag that was probably meant."""

    def error(self, message: str) -> NoReturn:
        steps = [f"{self.prog} --help"]
        unknown = next((word for word in message.split() if word.startswith("-")), "")
        if message.startswith("unrecognized") and unknown:
            near = closest(unknown.partition("=")[0], self._option_string_actions)
            steps = [f"did you mean {near}?", *steps] if near else steps
        raise Stop(message, Exit.USAGE, tuple(steps))


def parser_for(verb: str, about: str, examples: str) -> Parser:
    """A parser with the common flags; the verb adds its own."""
    parser = Parser(
        prog=f"setpoint {verb}",
        description=about,
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    common = parser.add_argument_group("everywhere")
    common.add_argument("-h", "--help", action="store_true", help="this text")
    common.add_argument("-o", "--output", choices=FORMATS, default="table", help="how to show it")
    common.add_argument("-O", "--organization", metavar="NAME", help="default: the only one there is")
    common.add_argument("-p", "--project", metavar="NAME", help="default: all of them")
    common.add_argument("-w", "--workspace", metavar="NAME", help="default: all of them")
    common.add_argument("--url", metavar="URL", help=f"the API; default SETPOINT_URL or {DEFAULT_URL}")
    common.add_argument("--context", metavar="NAME", help="a place of setpoint contexts, whatever is in use")
    sources = "SETPOINT_TOKEN, SETPOINT_TOKEN_FILE, the context's or the data folder's"
    common.add_argument("--token", metavar="TOKEN", help=f"default {sources}")
    return parser


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a command line, its environment and the context in use come to: where, and what in it."""

    endpoint: Endpoint
    scope: Scope


def chosen_by(args: argparse.Namespace, environment: Mapping[str, str]) -> Chosen:
    """Flags win over the environment, that over the context in use, and that over the data folder here.

    A context that is named on the command line wins over the environment too. Whatever a context holds is for
    its own server: with another address, neither its scope nor its credential is used.
    """
    named = str(args.context or "")
    found = contexts_in(environment).chosen(named or environment.get("SETPOINT_CONTEXT", ""))
    around = {} if named else environment
    url = (args.url or around.get("SETPOINT_URL") or (found.url if found else DEFAULT_URL)).rstrip("/")
    context = found if found is not None and found.url == url else None
    token = args.token or around.get("SETPOINT_TOKEN") or _from_file(around, context)
    names = ("organization", "project", "workspace")
    given = [getattr(args, name) or around.get(f"SETPOINT_{name.upper()}", "") for name in names]
    if context is not None and not any(given):
        given = [getattr(context, name) for name in names]
    elif context is not None and not given[0]:
        given[0] = context.organization
    return Chosen(Endpoint(url, token, context=context.name if context else ""), Scope(*given))


def _from_file(environment: Mapping[str, str], context: Context | None) -> str:
    named = environment.get("SETPOINT_TOKEN_FILE")
    if not named and context is not None and context.token:
        return context.token
    try:
        return Path(named or DEFAULT_TOKEN_FILE).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        if named:
            raise Stop(f"SETPOINT_TOKEN_FILE={named} cannot be read: {error}") from error
        return ""
