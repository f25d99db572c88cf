"""Dying at the n-th line: a tracer that ends a call there, and which lines are worth dying at."""

import sys
import sysconfig
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from setpoint.loop.conformance.sources import Watch, is_worker

# fmt: off
WRITERS: Final = frozenset((
    "configparser", "csv", "dbm", "fileinput", "gzip", "http", "json", "pathlib", "pickle", "plistlib",
    "shelve", "shutil", "tarfile", "tempfile", "urllib", "zipfile",
))
# fmt: on
"""Where the standard library itself takes several steps to change something outside. Not what keeps locks for
the whole process: a thread that dies there would leave them locked, as no dying process does."""
PURE_MODULES: Final = frozenset({"json/encoder", "json/decoder", "json/scanner", "urllib/parse"})
PURE_CLASSES: Final = ("PurePath.", "_Flavour.", "_PosixFlavour.")
"""Among those, what only computes."""
AFTERMATH: Final = 4
_OURS: Final = str(Path(__file__).parents[2])
_LIBRARY: Final = sysconfig.get_path("stdlib")
_INSTALLED: Final = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))


class Crashed(BaseException):
    """Not an Exception: nobody is meant to survive it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line about to be run."""

    file: str
    number: int
    function: str
    own: bool  # Its author's, not the standard library's.

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.number}, in {self.function}"


class Steps:
    """In a `with`: follows this thread, its executor's threads too, line by line, and dies at one of them."""

    def __init__(self, own: frozenset[str], die_at: int = 0) -> None:
        """Files that are its author's wherever they lie; the place of the line to die at, from 1; 0: none."""
        self._own, self._die_at = own, die_at
        self._over = False
        self._count = 0
        self._thread = 0
        self._before: tuple[Any, Any] = (None, None)
        self._watch, self._effects = Watch(), 0
        self.lines: list[Line] = []  # Written down only where nobody is to die.
        self.after_effects: set[int] = set()
        """Places that follow at once on something done to the world outside: an open, a rename, a request."""
        self.died_at: Line | None = None
        self.died_after = ""

    def __enter__(self) -> "Steps":
        self._thread = threading.get_ident()
        self._before = (sys.gettrace(), threading.gettrace())
        self._watch.__enter__()
        threading.settrace(self._entered)
        sys.settrace(self._entered)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._over = True
        sys.settrace(self._before[0])
        threading.settrace(self._before[1])
        self._watch.__exit__()
        while error is not None:
            # A dead process holds nothing open; a traceback would.
            error.__traceback__ = None
            error = error.__context__

    def _entered(self, frame: FrameType, event: str, _: Any) -> Any:
        if self._over or not (frame.f_code.co_filename in self._own or _sort(frame.f_code)):
            return None
        ours = threading.get_ident() == self._thread or is_worker(frame)
        return self._stepped if ours else None

    def _stepped(self, frame: FrameType, event: str, _: Any) -> Any:
        if event != "line" or self._over or self.died_at is not None:
            return self._stepped
        self._count += 1
        if not self._die_at:
            self._note(self._line(frame.f_code, frame.f_lineno))
        elif self._count == self._die_at:
            self.died_at, self.died_after = self._blamed(frame), self._watch.last
            raise Crashed
        return self._stepped

    def _note(self, line: Line) -> None:
        self.lines.append(line)
        if len(self._watch.touched) > self._effects:
            self._effects = len(self._watch.touched)
            self.after_effects |= {self._count + further for further in range(AFTERMATH)}

    def _blamed(self, frame: FrameType) -> Line:
        """The author's own line that led here."""
        here: FrameType | None = frame
        while here is not None:
            line = self._line(here.f_code, here.f_lineno)
            if line.own:
                return line
            here = here.f_back
        return self._line(frame.f_code, frame.f_lineno)

    def _line(self, code: CodeType, number: int) -> Line:
        own = code.co_filename in self._own or _sort(code) == "own"
        return Line(code.co_filename, number, code.co_name, own)


def worth(steps: Steps, most: int) -> tuple[int, ...]:
    """Places to die at: its author's lines at their first and last time, what follows on effects, others."""
    places: dict[Line, list[int]] = defaultdict(list)
    for place, line in enumerate(steps.lines, start=1):
        places[line].append(place)
    ends = {line: {each[0], each[-1]} for line, each in places.items()}
    own = {place for line, each in ends.items() if line.own for place in each}
    other = {place for each in ends.values() for place in each}
    followed = {place for place in steps.after_effects if place <= len(steps.lines)}
    chosen: set[int] = set()
    for group in (own, followed, other):
        chosen |= {*spread(sorted(group - chosen), most - len(chosen))}
    return tuple(sorted(chosen))


def spread(places: Sequence[int], most: int) -> tuple[int, ...]:
    """At most so many of them, evenly."""
    if len(places) <= most:
        return tuple(places)
    return tuple(places[number * len(places) // most] for number in range(max(0, most)))


@cache
def _sort(code: CodeType) -> str:
    """Whose code this is, as far as it is worth following; empty: it is not."""
    file = code.co_filename
    if file.startswith(("<", _OURS)) or any(file.startswith(f"{place}/") for place in _INSTALLED):
        return ""
    if file.startswith(f"{_LIBRARY}/"):
        path = file[len(_LIBRARY) + 1 :].removesuffix(".py")
        pure = path in PURE_MODULES or code.co_qualname.startswith(PURE_CLASSES)
        return "library" if path.partition("/")[0] in WRITERS and not pure else ""
    return "own"
