"""`setpoint get`: tables of objects, each with its state and its reason."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from setpoint.cli.catalogue import Selected
from setpoint.cli.exits import Exit
from setpoint.cli.flags import Parser, add_limit
from setpoint.cli.held import show_contested
from setpoint.cli.listing import View, columns_of, painted, row_of
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN
from setpoint.cli.session import Session
from setpoint.cli.text import clean
from setpoint.client.errors import Refused
from setpoint.client.resource import Kind, Object
from setpoint.system import now

EXAMPLES: Final[Mapping[str, str]] = {
    "get": """\
  setpoint get hosts
  setpoint get host web-1 -o yaml
  setpoint get hosts,dns_zones --state HELD
  setpoint get all -l team=shop -o name
  setpoint get hosts --filter 'state == "HELD" && labels.team in ["shop", "blog"]'
  setpoint get dns_records -p shop --sort 'changed desc' --limit 20"""
}
FORBIDDEN: Final = 403
STATES: Final = ("PENDING", "READY", "DEGRADED", "HELD", "FAILED")


def flags(parser: Parser, verb: str) -> None:
    parser.add_argument("words", nargs="*", metavar="KIND [NAME …]", help="also KIND/NAME, KIND,KIND or all")
    parser.add_argument("-l", "--labels", metavar="KEY=VALUE", help="only with these labels, by commas")
    parser.add_argument("--state", type=str.upper, choices=STATES, help="only in this state")
    parser.add_argument("--filter", metavar="CEL", help='such as: state != "READY" && spec.ttl < 300')
    parser.add_argument("--sort", metavar="FIELD", help="created, name or changed; 'name desc': downwards")
    add_limit(parser, None, "at most so many of each kind")


def run(session: Session, args: argparse.Namespace) -> int:
    chosen = session.catalogue.select(args.words)
    found = list(_readable(session, chosen, args))
    if session.screen.format in PLAIN:
        _show_tables(session, found)
    elif len(found) == 1 and len(chosen[0].names) == 1:
        show(session.screen, found[0][1][0].body)
    else:
        show(session.screen, listed([item.body for _, items in found for item in items]))
    return Exit.DONE


def _readable(
    session: Session, chosen: Sequence[Selected], args: argparse.Namespace
) -> Iterator[tuple[Kind, list[Object]]]:
    """Each kind with its objects. Of several kinds, those that may not be read are named and left out."""
    refused: list[Refused] = []
    for selected in chosen:
        try:
            yield selected.kind, _found(session, selected, args)
        except Refused as error:
            if error.problem.status != FORBIDDEN:
                raise
            refused.append(error)
    if refused and len(refused) == len(chosen):
        raise refused[0]
    for each in refused:
        session.screen.say(f"not shown: {clean(each.problem.detail)}")


def _found(session: Session, selected: Selected, args: argparse.Namespace) -> list[Object]:
    if selected.names:
        return [session.object(selected.kind, name) for name in selected.names]
    asked = {"labels": args.labels, "state": args.state, "filter": args.filter, "order_by": args.sort}
    query = {key: value for key, value in asked.items() if value}
    scope = session.scope_for(selected.kind)
    return list(islice(session.client.objects(selected.kind, scope, query), args.limit))


def _show_tables(session: Session, found: Sequence[tuple[Kind, list[Object]]]) -> None:
    filled = [(kind, items) for kind, items in found if items]
    if not filled:
        session.screen.say(_nothing(session, found[0][0], kinds=len(found)))
    for number, (kind, items) in enumerate(filled):
        if number:
            session.screen.data("")
        _show_table(session, kind, items, prefixed=len(found) > 1)
    held = any(o.state == "HELD" and not o.plan for _, items in filled for o in items)
    if held and session.organization:
        # Held, and no plan waits for a person: perhaps another writer is why.
        show_contested(session.screen, session.client.contested(session.organization))


def _show_table(session: Session, kind: Kind, items: Sequence[Object], *, prefixed: bool) -> None:
    level = session.scope_for(kind).level
    view = View(level=level, now=now(), wide=session.screen.format == "wide", prefixed=prefixed)
    rows = [row_of(item, kind, view) for item in items]
    for line in painted(session.screen, columns_of(kind, view), rows):
        session.screen.data(line)


def _nothing(session: Session, kind: Kind, *, kinds: int) -> str:
    """An empty list teaches the next command."""
    where = str(session.scope_for(kind))
    place = f" in {where}" if where else ""
    if kinds > 1:
        return f"Nothing is declared{place} yet.\n  next: setpoint explain {kind.name}"
    from setpoint.cli.sample import declaration  # noqa: PLC0415 - YAML takes 50 ms to load

    sample = "\n".join(f"    {line}" for line in declaration(kind, session.scope_for(kind)).splitlines())
    return f"""\
There are no {kind.plural}{place} yet, or none that match.
  next: setpoint apply -f {kind.name}.yaml    with for example

{sample}
"""
