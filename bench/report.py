"""What people and programs are told: a table, the same as JSON, and an exit code."""

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Final

from bench.measure import Row

MET, MISSED, CANNOT_JUDGE = 0, 1, 3
WHOLE: Final = 100  # From here on nobody reads the digits behind the point.
HEADINGS: Final = ("", "ours", "peer", "floor", "ratio", "spread", "goal", "")


def exit_code(rows: Iterable[Row]) -> int:
    """A goal that is missed counts more than one that cannot be judged, and that is no pass either."""
    found = tuple(rows)
    verdicts = {row.met for row in found if row.judged}
    if False in verdicts:
        return MISSED
    return CANNOT_JUDGE if None in verdicts or not found else MET


def table(rows: Sequence[Row]) -> str:
    """For people; a column is as wide as its widest."""
    lines = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    padded = (
        [cell.ljust(width) if column in (0, 7) else cell.rjust(width) for column, (cell, width) in each]
        for each in (enumerate(zip(line, widths, strict=True)) for line in lines)
    )
    return "\n".join("  ".join(cells).rstrip() for cells in padded)


def as_json(bench: str, rounds: int, rows: Sequence[Row]) -> str:
    """For programs; costs are CPU seconds unless a row says wall."""
    said = {
        "bench": bench,
        "python": platform.python_version(),
        "rounds": rounds,
        "rows": [asdict(row) for row in rows],
    }
    return json.dumps(said, indent=2) + "\n"


def seconds(cost: float | None) -> str:
    """A cost in the unit people would use for it."""
    if cost is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if cost >= size:
            return f"{cost / size:.3g} {unit}"
    return f"{cost / 1e-9:.3g} ns"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= WHOLE else f"{ratio:.3g}"


def figure(number: float | None, unit: str) -> str:
    """A number with what it counts; seconds as people say them."""
    if unit == "s" or number is None:
        return seconds(number)
    return f"{_times(number)} {unit}"


def _verdict(row: Row) -> str:
    if not row.judged:
        return f"not judged: {row.doubt}" if row.doubt else "not judged"
    return {True: "met", False: "MISSED", None: f"cannot judge: {row.doubt}"}[row.met]


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.name,
        figure(row.ours, row.unit),
        figure(row.peer, row.unit),
        figure(row.floor, row.unit),
        "-" if row.ratio is None else _times(row.ratio),
        "-" if row.spread is None else f"{row.spread:.0%}",
        row.goal or "-",
        _verdict(row),
    )
