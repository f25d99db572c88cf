"""`setpoint adopt`: what carries our mark and is declared nowhere becomes declared; it is not touched."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.table import Column
from setpoint.cli.target import parted
from setpoint.client.resource import Object
from setpoint.words import add_article

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "adopt": """\
  setpoint adopt provider hetzner                      every server that it lists as unknown
  setpoint adopt provider hetzner web-21 web-22        only these
  setpoint adopt provider hetzner --into shop/prod     where their marks do not say it
  setpoint adopt dns_zone example-org

After a restore, things that were made later than the backup carry our mark, but nobody declares them here.
`setpoint describe provider NAME` lists them. Adopting declares them as they are: no server is touched."""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="+", metavar="KIND NAME [NAMES]", help="also KIND/NAME; no names: all")
    parser.add_argument("--into", metavar="PROJECT/WORKSPACE", help="where to declare them")


def run(session: Session, args: argparse.Namespace) -> int:
    target, names = parted(args.words)
    kind, name = session.catalogue.one(target, "adopt")
    if not kind.body.get("adopts"):
        able = [each.name for each in session.catalogue.kinds if each.body.get("adopts")]
        steps = tuple(f"setpoint adopt {each} NAME" for each in able)
        sort = add_article(kind.name)
        raise Stop(f"{sort} lists nothing to adopt; {' and '.join(able)} do", next_steps=steps)
    wanted: dict[str, AnyJson] = {"names": list(names)} if names else {}
    if args.into:
        wanted["into"] = _place(args.into)
    adopted = session.client.adopt(kind, session.object(kind, name), wanted)
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, listed([found.body for found in adopted]))
        return Exit.DONE
    columns = [Column("ADOPTED"), Column("IN", gives=True), Column("REF", gives=True)]
    for line in painted(screen, columns, [_row(found) for found in adopted]):
        screen.data(line)
    for step in _next(session, adopted):
        screen.say(f"  next: {step}")
    return Exit.DONE


def _place(words: str) -> dict[str, str]:
    project, slash, workspace = words.partition("/")
    if not project or (slash and not workspace):
        raise Stop(
            f"--into {words!r} is not PROJECT/WORKSPACE", next_steps=("for example: --into shop/prod",)
        )
    return {"project": project, "workspace": workspace} if workspace else {"project": project}


def _row(found: Object) -> tuple[str, ...]:
    return f"{found.kind}/{found.name}", str(found.scope), found.ref


def _next(session: Session, adopted: Sequence[Object]) -> list[str]:
    plural = session.kind_of(adopted[0]).plural if adopted else "all"
    held = any(str(switch.get("key")) == "all" for switch in session.client.switches())
    return [f"setpoint get {plural}", *(["setpoint resume --all"] if held else [])]
