"""Objects as rows: name, state with its symbol, the kind's own columns, age, and the reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.redact import HIDDEN, is_secret, redacted
from setpoint.cli.screen import Screen
from setpoint.cli.table import GAP, Column, laid_out
from setpoint.cli.text import duration
from setpoint.client.address import LEVELS
from setpoint.client.resource import Kind, Object, seconds_of

AnyJson = Any
SYMBOLS: Final[Mapping[str, str]] = {
    "READY": "=",
    "PENDING": "~",
    "DEGRADED": "?",
    "HELD": "!",
    "FAILED": "!",
}
STATE: Final = "STATE"


@dataclass(frozen=True, slots=True)
class View:
    """How a list is looked at: from which level, at what time, and with everything or the usual."""

    level: str
    now: float
    wide: bool = False
    prefixed: bool = False
    """Names carry their kind, because several kinds are listed."""


def columns_of(kind: Kind, view: View) -> tuple[Column, ...]:
    above = LEVELS.index(view.level) < LEVELS.index(kind.level)
    return (
        Column("NAME"),
        *((Column("SCOPE", gives=True),) if above or view.wide else ()),
        Column(STATE),
        *(Column(heading, gives=True) for heading in kind.columns),
        *((Column("LABELS"), Column("GENERATION"), Column("OWNER"), Column("SEEN")) if view.wide else ()),
        Column("AGE"),
        Column("REASON", gives=True),
    )


def row_of(found: Object, kind: Kind, view: View) -> tuple[str, ...]:
    above = LEVELS.index(view.level) < LEVELS.index(kind.level)
    return (
        f"{found.kind}/{found.name}" if view.prefixed else found.name,
        *((_inside(found, view),) if above or view.wide else ()),
        f"{symbol_of(found)} {found.state}",
        *(cell(found.body, path) for path in kind.columns.values()),
        *(_wide(found, view) if view.wide else ()),
        _ago(found.metadata.get("created_at"), view.now),
        told_of(found),
    )


def told_of(found: Object) -> str:
    """Its reason; first of all that it is old, where nobody looks and nothing else says so."""
    if found.stale and found.state in ("READY", "PENDING"):
        return f"{found.stale}; until then: {found.reason}"
    return found.reason


def symbol_of(found: Object) -> str:
    """Beside the word, so that colour is never alone in saying it."""
    if found.deleting:
        return "-"
    if found.state == "PENDING" and not found.observed_generation:
        return "+"
    return "?" if found.stale else SYMBOLS.get(found.state, "?")


def cell(body: AnyJson, path: str) -> str:
    """What a dotted path leads to, in few characters; empty when it leads nowhere."""
    value: AnyJson = body
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    if is_secret(path) and redacted(value, path) == HIDDEN:
        return HIDDEN
    return brief(value)


def brief(value: AnyJson) -> str:
    """A value in one cell."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list | tuple):
        return ", ".join(brief(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={brief(inner)}" for key, inner in redacted(dict(value)).items())
    return json.dumps(value)


def painted(screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """The table's lines; states coloured by their word, cut to the screen."""
    limit = None if screen.format == "wide" else screen.columns
    heading, *body = laid_out(columns, rows, limit)
    shown = (GAP.join(_coloured(screen, text) for text in cells).rstrip() for cells in body)
    return [screen.paint(GAP.join(heading).rstrip(), "heading"), *shown]


def _coloured(screen: Screen, text: str) -> str:
    symbol, _, word = text.rstrip().partition(" ")
    return screen.paint(text, word) if word in SYMBOLS and len(symbol) == 1 else text


def _inside(found: Object, view: View) -> str:
    """The rest of the way from where the list is looked at."""
    parts = str(found.scope).split("/")
    return "/".join(parts if view.wide else parts[LEVELS.index(view.level) :])


def _wide(found: Object, view: View) -> tuple[str, ...]:
    seen = found.observed_generation
    behind = f"{found.generation}" if seen == found.generation else f"{found.generation} (seen {seen})"
    return (
        brief(found.metadata.get("labels") or {}),
        behind,
        found.owner,
        _ago(found.status.get("observed_at"), view.now) + (" (late)" if found.stale else ""),
    )


def _ago(moment: AnyJson, now: float) -> str:
    at = seconds_of(moment)
    return duration(now - at) if at is not None else ""
