"""Text that people wrote, and places in it: what mistakes point at."""

from dataclasses import dataclass
from typing import Final

from setpoint.cli.redact import HIDDEN
from setpoint.cli.text import clean

AROUND: Final = 60


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or what came in by stdin."""

    name: str
    text: str

    def line(self, number: int) -> str:
        found = self.text.split("\n")
        return found[number].rstrip("\r") if 0 <= number < len(found) else ""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Zero-based line and column, and how much of the line is meant."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake in a source."""

    source: Source
    place: Place
    message: str
    hint: str = ""
    fatal: bool = False
    """Whether the rest of its file could not be read."""
    secret: bool = False
    """Whether what stands there must not be shown."""


def shown(finding: Finding) -> list[str]:
    """`file:line:column: message`, the line itself with a caret below, and the hint."""
    place = finding.place
    number = str(place.line + 1)
    line = finding.source.line(place.line)
    line = f"{line[: place.column]}{HIDDEN}" if finding.secret else line
    text, at = _around(line, place.column)
    carets = "^" * max(1, min(place.length, len(text) - at))
    margin = " " * len(number)
    return [
        f"{finding.source.name}:{place.line + 1}:{place.column + 1}: {clean(finding.message)}",
        f"  {number} | {text}",
        f"  {margin} | {' ' * at}{carets}",
        *([f"  {margin} = {clean(finding.hint)}"] if finding.hint else []),
    ]


def in_order(findings: list[Finding]) -> list[Finding]:
    """By file, then by place; the same mistake is told once."""
    return sorted(dict.fromkeys(findings), key=lambda found: (found.source.name, found.place, found.message))


def _around(line: str, column: int) -> tuple[str, int]:
    """The part of a long line around the column, and where the column is in it."""
    start = max(0, column - AROUND) if len(line) > 2 * AROUND else 0
    cut = line[start : start + 2 * AROUND]
    before, after = ("…" if start else ""), ("…" if start + 2 * AROUND < len(line) else "")
    return clean(before + cut + after), column - start + len(before)
