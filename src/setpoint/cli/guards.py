"""Guards and limits explained: what each is for, its numbers in force here, and how a hold is released."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.listing import painted
from setpoint.cli.output import listed, show
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.table import Column, lines
from setpoint.cli.text import folded

AnyJson = Any
Body = Mapping[str, AnyJson]
TOPICS: Final[Mapping[str, str]] = {
    "guard": "items",
    "guards": "items",
    "limit": "limits",
    "limits": "limits",
}
"""Word after `explain` -> where the API has them."""
LABEL: Final = 11
WITHHOLDS: Final[Mapping[str, str]] = {
    "plan": "the whole plan",
    "deletes": "what would be destroyed",
    "items": "the items it names",
}
COLUMNS: Final = (Column("LIMIT"), Column("VALUE"), Column("DEFAULT"), Column("ABOUT", gives=True))


def explain(session: Session, topic: str, name: str) -> int:
    """`guards`, `guard.NAME`, `limits` or `limit.NAME`."""
    table, screen = session.client.guards(), session.screen
    limits = {str(limit["name"]): limit for limit in table["limits"]}
    rows = table[TOPICS[topic]]
    if name:
        found = _named(rows, topic.removesuffix("s"), name)
        is_limit = TOPICS[topic] == "limits"
        shown = _limit(found, screen) if is_limit else _guard(found, limits, screen)
        _show(screen, found if is_limit else _with_limits(found, limits), shown)
    elif TOPICS[topic] == "items":
        _show(screen, listed(rows), _guards(rows, screen))
    else:
        _show(screen, listed(rows), _limits(rows, screen))
    return Exit.DONE


def topic_of(session: Session, name: str) -> str:
    """Whether a word alone is a guard or a limit, as messages name them; a kind of this name comes first."""
    if any(name in (kind.name, kind.plural) for kind in session.catalogue.kinds):
        return ""
    table = session.client.guards()
    found = (topic for topic in ("guard", "limit") for row in table[TOPICS[topic]] if row["name"] == name)
    return next(found, "")


def numbers(limits: Mapping[str, float]) -> str:
    """`deletes_share=0.1, deletes_ceiling=10`."""
    return ", ".join(f"{name}={value:g}" for name, value in limits.items())


def _show(screen: Screen, body: AnyJson, shown: Sequence[str]) -> None:
    if screen.format not in PLAIN:
        show(screen, body)
        return
    for line in shown:
        screen.data(line)


def _named(rows: Sequence[Body], topic: str, name: str) -> Body:
    found = next((row for row in rows if row["name"] == name), None)
    if found is None:
        near = did_you_mean(name, [str(row["name"]) for row in rows])
        raise Stop(f"there is no {topic} {name!r}", next_steps=(*near, f"setpoint explain {topic}s"))
    return found


def _with_limits(found: Body, limits: Mapping[str, Body]) -> Body:
    """A guard with its limits whole."""
    return {**found, "limits": [limits[name] for name in found["limits"]]}


def _guards(rows: Sequence[Body], screen: Screen) -> list[str]:
    headings = ("GUARD", "WITHHOLDS", "RELEASED", "ABOUT")
    columns = [Column(heading, gives=heading == "ABOUT") for heading in headings]
    cells = [(str(row["name"]), str(row["withholds"]), _way(row), str(row["about"])) for row in rows]
    return painted(screen, columns, cells)


def _way(guard: Body) -> str:
    """`approve`, `resume`, `by itself`: the whole of it is told about one guard."""
    return str(guard["release"]).removeprefix("setpoint ").partition(",")[0]


def _limits(rows: Sequence[Body], screen: Screen) -> list[str]:
    return painted(screen, COLUMNS, [row for limit in rows for row in _rows(limit)])


def _rows(limit: Body) -> list[tuple[str, ...]]:
    """In force everywhere, then where it is another."""
    others = {**limit["kinds"], **limit["objects"]}
    first = (str(limit["name"]), f"{limit['value']:g}", f"{limit['default']:g}", str(limit["about"]))
    return [first, *((f"  {place}", f"{value:g}", "", "") for place, value in others.items())]


def _limit(found: Body, screen: Screen) -> list[str]:
    others = numbers({**found["kinds"], **found["objects"]})
    facts = {
        "about": str(found["about"]),
        "value": f"{found['value']:g}" + (f"; {others}" if others else ""),
        "default": f"{found['default']:g}",
        "must be": str(found["bounds"]),
        "read by": ", ".join(found["guards"]),
        "try half": f"setpoint rehearse {found['name']}={_half(found['value']):g}",
    }
    return [screen.paint(str(found["name"]), "heading"), *_facts(facts, screen)]


def _half(value: float) -> float:
    return max(1, value // 2) if isinstance(value, int) else value / 2


def _guard(found: Body, limits: Mapping[str, Body], screen: Screen) -> list[str]:
    facts = {
        "about": str(found["about"]),
        "withholds": WITHHOLDS.get(str(found["withholds"]), str(found["withholds"])),
        "released": str(found["release"]),
        "spares": "what a person asked for by name" if found["spares_explicit"] else "",
    }
    body = [screen.paint(str(found["name"]), "heading"), *_facts(facts, screen)]
    rows = [row for name in found["limits"] for row in _rows(limits[name])]
    room = None if screen.columns is None else screen.columns - 2
    return [*body, "", *(f"  {line}" for line in lines(COLUMNS, rows, room))] if rows else body


def _facts(facts: Mapping[str, str], screen: Screen) -> list[str]:
    return [
        line
        for label, value in facts.items()
        if value
        for line in folded(f"  {label:<{LABEL}}{value}", screen.columns, LABEL + 2)
    ]
