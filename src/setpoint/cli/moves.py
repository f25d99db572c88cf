"""Who would gain and lose what, as text, and the question that follows it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from setpoint.cli.screen import Screen
from setpoint.cli.session import Session
from setpoint.cli.text import clean, folded, plural

AnyJson = Any
Move = Mapping[str, AnyJson]
PEOPLE_SHOWN: Final = 10
RIGHTS_SHOWN: Final = 6


def told(screen: Screen, moves: Sequence[Move]) -> None:
    """At most a screenful: what each gains and loses, in the widest words that say it."""
    if not moves:
        screen.tell("Nobody gains or loses anything.")
        return
    screen.tell(screen.paint(f"{plural(len(moves), 'holder')} would gain or lose something:", "heading"))
    for move in moves[:PEOPLE_SHOWN]:
        screen.tell(f"  {clean(str(move['name']))}")
        for symbol, heading in (("+", "gains"), ("-", "loses")):
            for line in _rights(move[heading]):
                for part in folded(f"    {symbol} {heading} {clean(line)}", screen.columns, 12):
                    screen.tell(screen.paint(part, symbol))
    if len(moves) > PEOPLE_SHOWN:
        screen.tell(f"  and {len(moves) - PEOPLE_SHOWN:,} more; -o json lists them")


def agreed(session: Session, question: str, *, yes: bool) -> bool:
    """A person's yes, or the flag instead of it."""
    if yes:
        return True
    asked = f"{question.removesuffix('?')} at {session.endpoint.place}? [y/N] "
    answer = session.screen.ask(asked, "say --yes to save without being asked")
    return answer.lower() in ("y", "yes")


def _rights(rights: Iterable[Mapping[str, str]]) -> list[str]:
    """The verbs of one key in one place are one line."""
    verbs: dict[tuple[str, str], list[str]] = {}
    for right in rights:
        about = " ".join(part for part in (right["key"], right.get("object", "")) if part)
        verbs.setdefault((about, right["scope"]), []).append(right["verb"])
    lines = [f"{', '.join(said)} {about} in {scope}" for (about, scope), said in verbs.items()]
    more = len(lines) - RIGHTS_SHOWN
    return lines if more <= 0 else [*lines[:RIGHTS_SHOWN], f"{more} more kinds of things"]
