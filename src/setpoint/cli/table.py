"""Tables that fit: the last column gives way first, then the kind's own; names and states never do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from setpoint.cli.text import clean, clip, padded, width

GAP: Final = "  "
LAST_AT_LEAST: Final = 20
GIVING_AT_LEAST: Final = 14
"""A cell cut shorter than this says nothing; its column is left out instead."""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; `gives` says that its cells may be cut, or the whole column left out."""

    heading: str
    gives: bool = False


def laid_out(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int | None
) -> list[tuple[str, ...]]:
    """Heading and rows as padded cells; joined with GAP no line is wider than the limit."""
    cells = [tuple(column.heading for column in columns), *(tuple(map(clean, row)) for row in rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    kept = list(range(len(columns)))
    if limit is not None:
        kept, widths = _fitted(columns, widths, limit)
    last = kept[-1]
    return [
        tuple(
            clip(row[at], widths[at]) if at == last else padded(clip(row[at], widths[at]), widths[at])
            for at in kept
        )
        for row in cells
    ]


def lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int | None) -> list[str]:
    """The same as plain lines."""
    return [GAP.join(cells).rstrip() for cells in laid_out(columns, rows, limit)]


def _fitted(columns: Sequence[Column], natural: Sequence[int], limit: int) -> tuple[list[int], list[int]]:
    """Which columns stay, and how wide each is."""
    kept, widths = list(range(len(columns))), list(natural)
    last = kept[-1]
    wanted = min(natural[last], LAST_AT_LEAST)
    while (over := _taken(kept[:-1], widths) + wanted - limit) > 0:
        giving = [at for at in kept[:-1] if columns[at].gives]
        if not giving:
            break
        widest = max(giving, key=lambda at: widths[at])
        if widths[widest] > GIVING_AT_LEAST:
            widths[widest] = max(GIVING_AT_LEAST, widths[widest] - over)
        else:
            kept.remove(giving[-1])
    widths[last] = max(0, min(natural[last], limit - _taken(kept[:-1], widths)))
    return _without_a_sliver(kept, widths, columns)


def _without_a_sliver(
    kept: list[int], widths: list[int], columns: Sequence[Column]
) -> tuple[list[int], list[int]]:
    """A last column too narrow for its own heading says nothing."""
    last = kept[-1]
    if widths[last] < len(columns[last].heading) and len(kept) > 1:
        return kept[:-1], widths
    return kept, widths


def _taken(kept: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[at] + len(GAP) for at in kept)
