"""What every comparison is to the command line: words about itself, arguments, and rows with notes."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import report
from bench.contest import ROUNDS, RULES, Contest, hold
from bench.measure import Row


@dataclass(frozen=True, slots=True)
class Measured:
    """What one comparison found, and what a reader of it must know."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """One comparison; `parse` understands its arguments, `measure` does the work."""

    about: str
    parse: Callable[[Sequence[str]], argparse.Namespace]
    measure: Callable[[argparse.Namespace], Measured]


def parser(name: str, about: str) -> argparse.ArgumentParser:
    """What all of them understand."""
    made = argparse.ArgumentParser(
        prog=f"python -m bench {name}",
        description=about,
        epilog=RULES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--rounds", type=whole(2), default=ROUNDS, help=f"how often each runs; {ROUNDS}")
    made.add_argument("--json", metavar="F", help="write the rows to this file too")
    return made


def whole(least: int) -> Callable[[str], int]:
    """A number of things, `_` allowed, that is not too small to mean anything."""

    def number(text: str) -> int:
        if (found := int(text.replace("_", "").replace(",", ""))) < least:
            raise argparse.ArgumentTypeError(f"at least {least:,}, not {found:,}")
        return found

    return number


def some_of(known: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Names with commas between them."""
    names: Final = tuple(known)

    def chosen(text: str) -> tuple[str, ...]:
        asked = tuple(text.split(","))
        if unknown := [each for each in asked if each not in names]:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: the peers are {', '.join(names)}")
        return asked

    return chosen


def held(contests: Iterable[Contest], rounds: int) -> Measured:
    """All contests, one after the other."""
    rows: list[Row] = []
    notes: list[str] = []
    for contest in contests:
        say(contest.title)
        rows += hold(contest, rounds)
        notes += [contest.note] if contest.note else []
    return Measured(tuple(rows), tuple(notes))


def say(what: str) -> None:
    """What is under way, for whoever waits."""
    sys.stderr.write(f"bench: {what}\n")
    sys.stderr.flush()


def tell(name: str, measured: Measured, wanted: argparse.Namespace) -> int:
    """The table, the file, and the exit code."""
    sys.stdout.write("\n".join([report.table(measured.rows), "", *measured.notes, RULES, ""]))
    if wanted.json:
        Path(wanted.json).write_text(report.as_json(name, wanted.rounds, measured.rows))
    return report.exit_code(measured.rows)
