"""What a verb works with: the screen, the file with its loops, and how commands about it are written."""

import os
import pwd
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.screen import Screen
from setpoint.loop.commands.words import suggested
from setpoint.loop.file import Broken, state_of
from setpoint.loop.keyed import Keyed


@dataclass(frozen=True, slots=True)
class Place:
    """One loop file. Commands are `setpoint plan flags.py`; `python flags.py plan` where it runs itself."""

    file: Path
    runs_itself: bool = False

    def command(self, verb: str, *words: str) -> str:
        """A command about this file, ready to be pasted."""
        file = shlex.quote(str(self.file))
        first = f"python {file} {verb}" if self.runs_itself else f"setpoint {verb} {file}"
        return " ".join((first, *(word if word.startswith("-") else _quoted(word) for word in words)))

    def onward(self, command: str, kind: str, loop: str) -> str:
        """A command worded for the server, as it is written for this file."""
        if not command.startswith("setpoint "):
            return command
        verb, _, rest = command.removeprefix("setpoint ").partition(" ")
        rest = rest.removeprefix(f"{kind} {loop}").strip()
        words = [rest] if rest else []
        match verb:
            case "describe":
                verb, words = "plan", [loop, "--full"]
            case "approve" | "reject":
                words = [rest.removesuffix(" --reason WHY"), "--reason", "WHY"]
            case "resume":
                words = words or [loop]
            case "release":
                item = rest.removesuffix(" --protection")
                words = [item, "--loop", loop, *(["--protection"] if item != rest else [])]
            case _:
                pass
        return self.command(verb, *words)

    @property
    def folder(self) -> Path:
        return state_of(self.file)

    @property
    def person(self) -> str:
        """Who is at the keyboard, by the operating system; and whether the file is theirs."""
        user = os.getuid()
        try:
            name = pwd.getpwuid(user).pw_name
        except KeyError:
            name = f"user {user}"
        try:
            owns = self.file.stat().st_uid == user
        except OSError:
            owns = False
        return f"{name}, owner of {self.file.name}" if owns else name


@dataclass(frozen=True, slots=True)
class Session:
    """One run of one verb."""

    screen: Screen
    place: Place
    loops: tuple[Keyed, ...]
    broken: tuple[Broken, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(loop.name() for loop in self.loops)

    def chosen(self, named: str) -> tuple[str, ...]:
        """The loop of this name, or all of them."""
        return (named,) if named else self.names

    def only(self, named: str) -> str:
        """The loop of this name, or the only one there is."""
        if named or len(self.names) == 1:
            return named or self.names[0]
        raise Stop(f"say which loop with --loop: {', '.join(self.names)}", Exit.USAGE)


def no_such_loop(named: str, names: Sequence[str]) -> list[str]:
    """A mistake, where the named loop is not there."""
    if not named or named in names:
        return []
    return [f"there is no loop {named!r} in this file{suggested(named, names)}"]


def _quoted(word: str) -> str:
    return word if word.isupper() and word.isalpha() else shlex.quote(word)
