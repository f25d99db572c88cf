"""`setpoint fmt`: the same files in their long form, or in their short one. Nothing is changed."""

import argparse
from collections.abc import Mapping
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.expand import declarations_in
from setpoint.cli.files import Mistaken
from setpoint.cli.flags import Parser
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.shortened import Shortening, ordered
from setpoint.cli.verbs.plan import add_sources
from setpoint.cli.yaml_writer import dumped

EXAMPLES: Final[Mapping[str, str]] = {
    "fmt": """\
  setpoint fmt -f shop.yaml                    every declaration with kind, metadata and spec
  setpoint fmt -f shop.yaml --short            by plural and name, inside what they live in
  setpoint fmt -f shop.yaml --var size=cx32    with variables and for_each worked out"""
}


def flags(parser: Parser, verb: str) -> None:
    add_sources(parser, required=True)
    parser.add_argument("--short", action="store_true", help="the short form instead of the long one")


def run(session: Session, args: argparse.Namespace) -> int:
    files = declarations_in(session, args)
    kinds = session.catalogue.kinds
    known = {kind.name for kind in kinds}
    unknown = [item for item in files.items if item.value.get("kind") not in known]
    findings = [*files.findings]
    findings += [item.finding("/kind", "there is no such kind", "setpoint kinds") for item in unknown]
    if findings:
        raise Mistaken(findings)
    items = files.declarations()
    if not items:
        raise Stop("there is nothing in these files to show", Exit.USAGE, ("setpoint explain host",))
    if session.screen.format not in (*PLAIN, "yaml"):
        show(session.screen, listed(ordered(items, kinds)))
        return Exit.DONE
    documents = Shortening(items, kinds).documents() if args.short else ordered(items, kinds)
    session.screen.data(dumped(documents).rstrip("\n"))
    return Exit.DONE
