"""How findings are worded: values, errors and differences, each short enough for a sentence."""

from collections.abc import Iterable
from typing import Final

from setpoint.engine.plan import Absence

LONGEST: Final = 72
NAMED: Final = 4


def short(value: object) -> str:
    text = value.name if isinstance(value, Absence) else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def blamed(error: BaseException) -> str:
    """`KeyError: 'beta'`."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def listed(words: Iterable[object]) -> str:
    """`'a', 'b' and 3 more`."""
    each = [str(word) for word in words]
    more = len(each) - NAMED
    return ", ".join(each) if more <= 0 else f"{', '.join(each[:NAMED])} and {more} more"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
