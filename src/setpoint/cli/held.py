"""A hold that helps: what is held, why, and the safest next command first."""

from collections.abc import Mapping, Sequence
from typing import Any

from setpoint.cli.outline import lines, outline_of
from setpoint.cli.screen import Screen
from setpoint.cli.session import Session

AnyJson = Any


def next_commands(identity: str) -> tuple[str, ...]:
    return (
        f"setpoint describe plan {identity}",
        f"setpoint reject {identity}",
        f"setpoint approve {identity}",
    )


def show_held(session: Session, plans: Sequence[Mapping[str, AnyJson]]) -> None:
    """Each held plan with the commands that lead on."""
    for plan in plans:
        title = f"plan {plan['id']} for {plan.get('kind')} {plan.get('name')}"
        for line in lines(outline_of(title, plan), session.screen):
            session.screen.tell(line)
        show_next(session.screen, str(plan["id"]))


def show_next(screen: Screen, identity: str) -> None:
    words = ("look at it: ", "give it up: ", "if you mean it: ")
    for word, command in zip(words, next_commands(identity), strict=True):
        screen.tell(f"  {word:<16}{command}")
