"""Names for refs: history knows ids, people know names."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from setpoint.cli.session import Session
from setpoint.client.address import Scope

MOST: Final = 5000


def names_of(session: Session, refs: Iterable[str]) -> dict[str, str]:
    """`kind/name` of each ref that still exists."""
    wanted = set(refs)
    kinds = {ref.partition("/")[0] for ref in wanted}
    known: dict[str, str] = {}
    for kind in session.catalogue.kinds:
        if kind.name in kinds:
            scope = Scope() if kind.level == "installation" else Scope(session.organization)
            every = islice(session.client.objects(kind, scope), MOST)
            known |= {found.ref: f"{found.kind}/{found.name}" for found in every if found.ref in wanted}
    return known
