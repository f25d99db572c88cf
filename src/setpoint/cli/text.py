"""Text fit for a screen: widths, cuts, ages, and nothing that could steer the terminal."""

import json
import unicodedata
from typing import Final

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 86400


def clean(text: str) -> str:
    """One line without control characters: words of providers are shown, never obeyed."""
    if text.isprintable():
        return text
    return "".join(" " if char in "\n\t\r" else char if char.isprintable() else "·" for char in text)


def harmless(text: str, kept: str = "\n\t") -> str:
    """The text without whatever could steer a terminal or turn the order of its letters around."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in kept else "·" for char in text)


def escaped(text: str) -> str:
    """JSON with all of that spelt by its number: it reads back the same."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def width(text: str) -> int:
    """How many columns it takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def clip(text: str, columns: int) -> str:
    """At most so many columns; what was cut ends in an ellipsis."""
    if width(text) <= columns:
        return text
    kept, used = [], 1
    for char in text:
        used += _columns(char)
        if used > columns:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…" if columns > 0 else ""


def folded(text: str, columns: int | None, indent: int = 0) -> list[str]:
    """Broken between words where the screen ends; the following lines are set in."""
    if columns is None or width(text) <= columns:
        return [text]
    first, *words = text.lstrip(" ").split(" ")
    lines, line = [], " " * (len(text) - len(text.lstrip(" "))) + first
    for word in words:
        if width(line) + 1 + width(word) > columns:
            lines.append(line)
            line = " " * indent + word
        else:
            line += f" {word}"
    return [*lines, line]


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def duration(seconds: float) -> str:
    """`40s`, `12m`, `3h`, `2d`: the largest unit that says enough."""
    whole = max(0, int(seconds))
    if whole < 2 * MINUTE:
        return f"{whole}s"
    if whole < 2 * HOUR:
        return f"{whole // MINUTE}m"
    return f"{whole // HOUR}h" if whole < 2 * DAY else f"{whole // DAY}d"


def plural(number: int, noun: str) -> str:
    """`1 host`, `2 hosts`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
