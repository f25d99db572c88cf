"""Where words go: data to stdout, talk to stderr, colours and live lines only where somebody can see them."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TextIO

from setpoint.cli.echo import unseen
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.text import clip, folded, harmless

PLAIN: Final = ("table", "wide")
COLOURS: Final[Mapping[str, str]] = {
    "READY": "32",
    "PENDING": "36",
    "DEGRADED": "33",
    "HELD": "35",
    "FAILED": "31",
    "+": "32",
    "~": "33",
    "±": "31",
    "-": "31",
    "!": "35",
    "error": "31",
    "heading": "1",
    "dim": "2",
}
OURS: Final = re.compile(
    "(" + "|".join(rf"\x1b\[{code}m" for code in ("0", *sorted({*COLOURS.values()}))) + ")"
)
CLEAR_LINE: Final = "\r\x1b[K"


@dataclass(frozen=True)
class Screen:
    """The three streams and what can be done on them."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environment: Mapping[str, str]
    format: str = "table"

    def data(self, text: str) -> None:
        """What was asked for."""
        self._unlive()
        self.stdout.write(self._safe(text) + "\n")

    def tell(self, text: str) -> None:
        """What happened: part of the answer for people, talk for programs."""
        (self.data if self.format in PLAIN else self.say)(text)

    def say(self, text: str) -> None:
        """Talk."""
        self._unlive()
        self.stdout.flush()
        self.stderr.write(self._safe(text) + "\n")
        self.stderr.flush()

    def explain(self, text: str, indent: int) -> None:
        """Talk in whole sentences, broken between words where the screen ends."""
        for line in folded(text, self._columns_of(self.stderr), indent):
            self.say(line)

    def live(self, text: str) -> None:
        """A line that the next one replaces; nothing where that cannot be."""
        if self.is_live:
            self.stdout.flush()
            self.stderr.write(CLEAR_LINE + clip(self._safe(text), (self._columns_of(self.stderr) or 80) - 1))
            self.stderr.flush()

    def ask(self, question: str, instead: str) -> str:
        """A person's answer; without a person, a refusal that says what to do `instead`."""
        if not self.can_ask:
            raise Stop("nobody can be asked here, so nothing was changed", Exit.USAGE, (instead,))
        self._unlive()
        self.stdout.flush()
        self.stderr.write(self._safe(question))
        self.stderr.flush()
        return self.stdin.readline().strip()

    def ask_unseen(self, question: str, instead: str) -> str:
        """The same for what must not be seen on the screen; spaces stay, for they are part of it."""
        if not self.can_ask:
            raise Stop("nobody can be asked here, so nothing was changed", Exit.USAGE, (instead,))
        self._unlive()
        self.stdout.flush()
        self.stderr.write(self._safe(question))
        self.stderr.flush()
        with unseen(self.stdin):
            said = self.stdin.readline()
        self.stderr.write("\n")
        self.stderr.flush()
        return said.removesuffix("\n").removesuffix("\r")

    def paint(self, text: str, colour: str) -> str:
        code = COLOURS.get(colour, "")
        return f"\x1b[{code}m{text}\x1b[0m" if code and self.coloured else text

    @property
    def coloured(self) -> bool:
        if self.environment.get("NO_COLOR"):
            return False
        if self.environment.get("CLICOLOR_FORCE", "0") not in ("", "0"):
            return True
        return self.stdout.isatty() and self.environment.get("TERM") != "dumb"

    @property
    def is_live(self) -> bool:
        return self.stderr.isatty() and self.environment.get("TERM") != "dumb"

    @property
    def can_ask(self) -> bool:
        return self.stdin.isatty() and self.stderr.isatty()

    @property
    def columns(self) -> int | None:
        """How wide data may be; None: as wide as it likes, for a pipe cuts and wraps nothing."""
        return self._columns_of(self.stdout)

    def _safe(self, text: str) -> str:
        """Every line passes here: but for our own colours, nothing in it steers the terminal."""
        if text.isprintable():
            return text
        parts = OURS.split(text) if self.coloured else [text]
        return "".join(each if OURS.fullmatch(each) else harmless(each) for each in parts)

    def _columns_of(self, stream: TextIO) -> int | None:
        said = self.environment.get("COLUMNS", "")
        if said.isdigit() and int(said):
            return int(said)
        return _terminal_columns(stream) if stream.isatty() else None

    def _unlive(self) -> None:
        if self.is_live:
            self.stderr.write(CLEAR_LINE)
            self.stderr.flush()


def silence(stream: TextIO) -> None:
    """Lets what is still to be written go nowhere: Python must not complain about it while it exits."""
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, stream.fileno())
        os.close(quiet)
    except (OSError, ValueError):
        return


def _terminal_columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
