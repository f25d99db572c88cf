"""Flags that every verb has, and a parser that refuses in our own words."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.output import FORMATS
from setpoint.cli.suggest import closest
from setpoint.client.address import Scope
from setpoint.client.endpoint import Endpoint

DEFAULT_URL: Final = "http://127.0.0.1:7410"
DEFAULT_TOKEN_FILE: Final = ".setpoint/admin.token"  # noqa: S105 - a path
VALUED: Final = frozenset(
    {"--url", "--token", "-O", "--organization", "-p", "--project", "-w", "--workspace", "-o", "--output"}
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
    common.add_argument(
        "--token", metavar="TOKEN", help="default SETPOINT_TOKEN, SETPOINT_TOKEN_FILE or the data folder's"
    )
    return parser


def scope_from(args: argparse.Namespace, environment: Mapping[str, str]) -> Scope:
    """Flags win over the environment."""
    names = ("organization", "project", "workspace")
    return Scope(*(getattr(args, name) or environment.get(f"SETPOINT_{name.upper()}", "") for name in names))


def endpoint_from(args: argparse.Namespace, environment: Mapping[str, str]) -> Endpoint:
    """Flags win over the environment, the environment over what `setpoint up` leaves behind."""
    url = args.url or environment.get("SETPOINT_URL") or DEFAULT_URL
    token = args.token or environment.get("SETPOINT_TOKEN") or _from_file(environment)
    return Endpoint(url.rstrip("/"), token)


def _from_file(environment: Mapping[str, str]) -> str:
    named = environment.get("SETPOINT_TOKEN_FILE")
    try:
        return Path(named or DEFAULT_TOKEN_FILE).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        if named:
            raise Stop(f"SETPOINT_TOKEN_FILE={named} cannot be read: {error}") from error
        return ""
