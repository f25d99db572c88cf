"""`setpoint diff`: what files would change in what is declared, field by field."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from setpoint.cli.changes import SYMBOLS, Change
from setpoint.cli.exits import Exit
from setpoint.cli.expand import declarations_in
from setpoint.cli.flags import Parser
from setpoint.cli.output import listed, show
from setpoint.cli.ownership import owner_for, tell_ownership
from setpoint.cli.proposal import differences, known_to, proposals
from setpoint.cli.rehearsal import as_json, check
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean, plural
from setpoint.cli.verbs.plan import add_files

EXAMPLES: Final[Mapping[str, str]] = {
    "diff": """\
  setpoint diff -f shop.yaml
  setpoint diff -f dns/ --prune --owner dns    including what it no longer mentions
  setpoint diff -f shop.yaml -o json

exit codes: 0 in step, 3 something differs"""
}


def flags(parser: Parser, verb: str) -> None:
    add_files(parser, required=True)


def run(session: Session, args: argparse.Namespace) -> int:
    files = declarations_in(session, args)
    asked = proposals(session, files, owner_for(args, files), prune=args.prune)
    checked = check(session, files, asked)
    screen = session.screen
    found = {
        proposal.organization: differences(session, proposal, known_to(session, proposal), said.withdrawn)
        for proposal, said in zip(asked, checked, strict=True)
    }
    if screen.format not in PLAIN:
        show(screen, listed([as_json(change) for changes in found.values() for change in changes]))
    else:
        for organization, changes in found.items():
            for line in _lines(changes):
                screen.data(screen.paint(line, line[0]))
            counted = f"{plural(len(changes), 'object')} would be declared otherwise"
            screen.say(f"{organization}: {counted if changes else 'in step, nothing differs'}")
        for said in checked:
            tell_ownership(screen, said, args)
    return Exit.PENDING if any(found.values()) else Exit.DONE


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    """One line for each object, one for each of its fields."""
    for change in changes:
        yield clean(f"{SYMBOLS.get(change.verb, '~')} {change.kind} {change.name}")
        for field in (field for field in change.fields if field.path):
            said = f"{field.path}: {field.after}" if change.verb == "create" else str(field)
            yield clean(f"    {said}")
