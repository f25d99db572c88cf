"""`setpoint export`: a whole organization as files; applied again they change nothing."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.shortened import Shortening, ordered
from setpoint.cli.text import plural
from setpoint.cli.yaml_writer import dumped
from setpoint.client.address import Scope
from setpoint.client.resource import Kind, Object

AnyJson = Any
Body = Mapping[str, AnyJson]
SCHEMA_FILE: Final = ".setpoint-schema.json"
WRITTEN: Final = (*PLAIN, "yaml")
EXAMPLES: Final[Mapping[str, str]] = {
    "export": """\
  setpoint export                              the organization on the screen, as one file
  setpoint export acme/                        one file for it, and one for each project
  setpoint export | setpoint plan -f -         in step, nothing to change
  setpoint export -o json

Not in it: status, secrets, what machines declare of themselves, and what a group declares."""
}


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("folder", nargs="?", metavar="DIR", help="write files there instead")


def run(session: Session, args: argparse.Namespace) -> int:
    items = list(declared(session))
    if not args.folder and session.screen.format not in WRITTEN:
        show(session.screen, listed(ordered(items, session.catalogue.kinds)))
        return Exit.DONE
    if not args.folder:
        address = f"{session.endpoint.url}/schemas/file.json"
        session.screen.data(_text(session, items, address).rstrip("\n"))
        return Exit.DONE
    written = _written(session, items, Path(args.folder))
    counted = f"{plural(len(items), 'object')} in {plural(len(written), 'file')}"
    session.screen.say(f"{session.organization}: {counted}")
    session.screen.say(f"  next: setpoint plan -f {args.folder}")
    return Exit.DONE


def declared(session: Session) -> Iterator[Body]:
    """Everything that people declared in this organization; a page at a time is read."""
    found = list(_objects(session))
    machines = {kind.name for kind in session.catalogue.kinds if kind.by_machine}
    owners = {each.ref for each in found}
    for each in found:
        # What is owned by an object, as the hosts of a group, is that object's business.
        if not each.deleting and each.kind not in machines and each.owner not in owners:
            yield each.body


def _objects(session: Session) -> Iterator[Object]:
    scope = Scope(session.organization)
    for kind in session.catalogue.kinds:
        if kind.name == "organization":
            yield session.client.read(kind, Scope(), session.organization)
        elif kind.level != "installation":
            yield from session.client.objects(kind, scope)


def _written(session: Session, items: Sequence[Body], folder: Path) -> list[Path]:
    """One file for the organization and what lives in it directly, one for each project."""
    suffix = "json" if session.screen.format == "json" else "yaml"
    parts: dict[Path, list[Body]] = {}
    for item in items:
        project = item["metadata"]["name"] if item["kind"] == "project" else item["metadata"].get("project")
        name = Path(session.organization) / str(project) if project else Path(session.organization)
        parts.setdefault(folder / f"{name}.{suffix}", []).append(item)
    _warn(session, folder, list(parts))
    for file, inside in parts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (len(file.relative_to(folder).parts) - 1)
        file.write_text(_text(session, inside, f"{up}{SCHEMA_FILE}"), encoding="utf-8")
    schema = json.dumps(session.client.file_schema(), indent=1, sort_keys=True)
    (folder / SCHEMA_FILE).write_text(schema + "\n", encoding="utf-8")
    return list(parts)


def _warn(session: Session, folder: Path, written: Sequence[Path]) -> None:
    """A file of yesterday's project would be declared again."""
    there = [file for suffix in ("yaml", "yml", "json") for file in folder.rglob(f"*.{suffix}")]
    others = sorted(str(file) for file in there if file not in written and file.name != SCHEMA_FILE)
    for name in others:
        session.screen.say(f"left as it is, and not part of this export: {name}")


def _text(session: Session, items: Sequence[Body], schema: str) -> str:
    kinds: Sequence[Kind] = session.catalogue.kinds
    if session.screen.format == "json":
        return json.dumps({"items": ordered(items, kinds)}, indent=2, ensure_ascii=False) + "\n"
    documents = Shortening(items, kinds).documents()
    return f"# yaml-language-server: $schema={schema}\n{dumped(documents)}"
