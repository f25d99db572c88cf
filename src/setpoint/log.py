"""The log: a line for what happened, an event with fields."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

from setpoint import system

AnyField = Any
Line = dict[str, AnyField]
"""`event`, `log_level` and the fields."""
_UNCLEAR = re.compile(r"[ \t=\r\n\"']")
_GREY, _BOLD, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[0m"
_stream: list[tuple[TextIO, bool]] = []
"""Where lines go, and whether somebody sits there."""
_ears: list[Callable[[Line], None]] = []


def log_to(stream: TextIO) -> None:
    """From now on lines go there; before, to where errors go."""
    _stream[:] = [(stream, stream.isatty())]


def heard_by(ear: Callable[[Line], None]) -> None:
    """From now on lines go to this ear, as values, and nowhere else."""
    _ears.append(ear)


@contextmanager
def heard() -> Iterator[list[Line]]:
    """Lines as values, as long as this lasts."""
    lines: list[Line] = []
    heard_by(lines.append)
    try:
        yield lines
    finally:
        _ears.remove(lines.append)


class Log:
    """Lines of one part, each an event with fields."""

    def __init__(self, name: str) -> None:
        self._name = name

    def info(self, event: str, **fields: AnyField) -> None:
        _write("info", event, fields)

    def warning(self, event: str, **fields: AnyField) -> None:
        _write("warning", event, fields)

    def error(self, event: str, **fields: AnyField) -> None:
        """`exc_info` is an error: where it came from is told too."""
        _write("error", event, fields)

    def exception(self, event: str, **fields: AnyField) -> None:
        """With where the error that is being handled came from."""
        _write("error", event, {**fields, "exc_info": sys.exc_info()[1]})


def _write(level: str, event: str, fields: Line) -> None:
    if _ears:
        _ears[-1]({"event": event, "log_level": level, **fields})
        return
    stream, coloured = _stream[0] if _stream else (sys.stderr, sys.stderr.isatty())
    error = fields.pop("exc_info", None)
    line = line_of(_now(), level, event, fields)
    if coloured:
        line = line.replace(event, f"{_BOLD}{event}{_PLAIN}", 1).replace("Z ", f"Z{_PLAIN} ", 1)
        line = f"{_GREY}{line}"
    stream.write(f"{line}\n{_where(error)}")
    stream.flush()


def line_of(at: str, level: str, event: str, fields: Mapping[str, AnyField]) -> str:
    """When, how grave, what, and the fields by name."""
    told = " ".join([f"{_quoted(name)}={_said(fields[name])}" for name in sorted(fields)])
    return f"{at} [{level:<9}] {_quoted(event):<30} {told}".rstrip()


def _said(value: AnyField) -> str:
    """Text as it is, unless it could be taken for more than one thing or steer a terminal."""
    if isinstance(value, str) and value.isprintable() and not _UNCLEAR.search(value):
        return value
    text = repr(value)
    return text if text.isprintable() else repr(text)  # What others write as their repr is theirs to choose.


def _now() -> str:
    from datetime import UTC, datetime  # noqa: PLC0415 - for whoever writes a line

    return datetime.fromtimestamp(system.now(), UTC).isoformat().replace("+00:00", "Z")


def _where(error: BaseException | None) -> str:
    """Where it came from, without the values there, which may be secrets."""
    if error is None:
        return ""
    from traceback import format_exception  # noqa: PLC0415 - as above

    lines = "".join(format_exception(error)).rstrip("\n").split("\n")
    # Set in, so that no line of a message looks like one of the log.
    return "".join([f"  {_quoted(line)}\n" for line in lines])


def _quoted(text: str) -> str:
    """The text with whatever could steer a terminal spelt out."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else repr(char)[1:-1] for char in text])
