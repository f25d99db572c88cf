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
VARIABLES: Final[Mapping[str, str]] = {
    "SETPOINT_URL": f"Where the API is; `--url` wins. Without both: the context in use, else {DEFAULT_URL}.",
    "SETPOINT_TOKEN": "The credential to show; `--token` wins.",
    "SETPOINT_TOKEN_FILE": "A file with it. Without both: the context's, or .setpoint/admin.token.",
    "SETPOINT_ORGANIZATION": "The organization to work in; `-O` wins. Without both: the only one there is.",
    "SETPOINT_PROJECT": "The project; `-p` wins. Without both: all of them.",
    "SETPOINT_WORKSPACE": "The workspace; `-w` wins. Without both: all of them.",
    "SETPOINT_CONTEXT": "The context to use, whichever is chosen; `--context` wins.",
    "SETPOINT_CONFIG": "The file that contexts are kept in; otherwise setpoint/contexts.json in ~/.config.",
    "NO_COLOR": "Anything: no colours.",
    "CLICOLOR_FORCE": "1: colours even where the output is no terminal.",
    "COLUMNS": "How wide tables may be, whatever the terminal says.",
}
"""Every variable that commands read. None of them is a setting of a service."""
DEFAULT_TOKEN_FILE: Final = ".setpoint/admin.token"  # noqa: S105 - a path
VERBOSE: Final = ("-v", "-V", "--verbose")
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
        if unknown in VERBOSE:
            steps = ["-o wide shows more, -o json everything; setpoint --version shows the version", *steps]
        elif message.startswith("unrecognized") and len(unknown) > len("-x"):
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


def add_limit(parser: Parser, default: int | None, about: str) -> None:
    """`--limit N`, at least 1."""
    parser.add_argument("--limit", type=_positive, default=default, metavar="N", help=about)


def _positive(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"at least 1 is expected, not {word}")
    return int(word)


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
