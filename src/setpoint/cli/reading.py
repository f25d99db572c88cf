"""Objects that are waited for, read again as they are now."""

from collections.abc import Mapping, Sequence

from setpoint.cli.goals import Goal
from setpoint.cli.session import Session
from setpoint.client.resource import Object


def read(session: Session, goals: Sequence[Goal], known: Mapping[str, Object]) -> dict[str, Object]:
    """The goals' objects by ref; those that are gone are left out."""
    found: dict[str, Object] = {}
    wanted = {goal.ref for goal in goals}
    places = {(known[goal.ref].kind, known[goal.ref].scope) for goal in goals}
    for name, scope in sorted(places, key=str):
        kind = session.catalogue.find(name)
        found |= {item.ref: item for item in session.client.objects(kind, scope) if item.ref in wanted}
    return found
