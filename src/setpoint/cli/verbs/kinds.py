"""`setpoint kinds` and `setpoint explain`: what can be declared, field by field, and what guards it."""

import argparse
import json
from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli import guards
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.fields import FieldInfo, fields_of, found_at
from setpoint.cli.flags import Parser
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, show
from setpoint.cli.sample import declaration
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column
from setpoint.cli.table import lines as table_lines
from setpoint.cli.text import duration
from setpoint.client.resource import Kind
from setpoint.words import add_article

AnyJson = Any
EXAMPLES: Final[Mapping[str, str]] = {
    "kinds": "  setpoint kinds\n  setpoint kinds -o name",
    "explain": """\
  setpoint explain dns_zone
  setpoint explain dns_zone.adopt
  setpoint explain host --schema           JSON Schema, for editors; `file` for whole files
  setpoint explain guards                  every reason to withhold a change
  setpoint explain guard.delete_budget
  setpoint explain limits                  every number behind them, as it is set here""",
}


def flags(parser: Parser, verb: str) -> None:
    if verb == "explain":
        words = "a kind or one of its fields; also guards, guard.NAME, limits, limit.NAME"
        parser.add_argument("what", metavar="KIND[.FIELD]", help=words)
        parser.add_argument("--schema", action="store_true", help="JSON Schema of a kind, or of a `file`")


def run(session: Session, args: argparse.Namespace) -> int:
    if args.verb == "kinds":
        return _kinds(session)
    return _schema(session, args.what) if args.schema else _explain(session, args.what)


def _schema(session: Session, what: str) -> int:
    """As editors take it, whatever the format."""
    client = session.client
    found = client.file_schema() if what == "file" else client.schema(session.catalogue.find(what))
    session.screen.data(json.dumps(found, indent=2, ensure_ascii=False))
    return Exit.DONE


def _kinds(session: Session) -> int:
    kinds = session.catalogue.kinds
    if session.screen.format not in PLAIN:
        show(session.screen, listed([kind.body for kind in kinds]))
        return Exit.DONE
    headings = ("KIND", "LIVES IN", "EVERY", "ABOUT")
    rows = [
        (kind.name, kind.level, duration(kind.every) if kind.every is not None else "", kind.about)
        for kind in kinds
    ]
    columns = [Column(heading, gives=heading == "ABOUT") for heading in headings]
    for line in painted(session.screen, columns, rows):
        session.screen.data(line)
    return Exit.DONE


def _explain(session: Session, what: str) -> int:
    word, _, path = what.replace("/", ".").partition(".")
    if word in guards.TOPICS:
        return guards.explain(session, word, path)
    if topic := guards.topic_of(session, what):
        return guards.explain(session, topic, what)
    kind = session.catalogue.find(word)
    known = fields_of(kind.schema, kind.example)
    path = path.removeprefix("spec.")
    if not path:
        return _explain_kind(session, kind, known)
    info = found_at(known, path)
    if info is None:
        names = [field.path for field in known]
        near = did_you_mean(path, names)
        raise Stop(f"{kind.name} has no field {path}", next_steps=(*near, f"setpoint explain {kind.name}"))
    inside = [field for field in known if field.path.startswith(f"{path}.")]
    if session.screen.format not in PLAIN:
        show(session.screen, info.body)
        return Exit.DONE
    for line in (f"{kind.name}.{info.path}", f"  {info.about}", *_facts(info)):
        session.screen.data(line)
    for field in inside:
        session.screen.data(f"  .{field.path.removeprefix(path + '.')}  {field.type}  {field.about}")
    return Exit.DONE


def _explain_kind(session: Session, kind: Kind, known: list[FieldInfo]) -> int:
    screen = session.screen
    if screen.format not in PLAIN:
        show(screen, {**kind.body, "fields": [field.body for field in known]})
        return Exit.DONE
    place = "the installation" if kind.level == "installation" else add_article(kind.level)
    screen.data(screen.paint(f"{kind.name}", "heading") + f"  lives in {place}; {kind.about}")
    screen.data("")
    rows = [(field.path, field.type, field.given, field.about) for field in known]
    columns = [Column("FIELD"), Column("TYPE", gives=True), Column("DEFAULT", gives=True), Column("ABOUT")]
    for line in table_lines(columns, rows, screen.columns):
        screen.data(line)
    screen.data("")
    screen.data(screen.paint("Example", "heading"))
    for line in declaration(kind, session.given).splitlines():
        screen.data(f"  {line}")
    return Exit.DONE


def _facts(info: FieldInfo) -> list[str]:
    return [
        f"  type     {info.type}",
        f"  default  {info.given}",
        *([f"  limits   {info.limits}"] if info.limits else []),
        f"  example  {info.example}",
    ]
