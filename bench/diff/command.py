"""`bench diff`: the goals P1 to P4 and how cost may grow, as contests."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench import report
from bench.contest import ROUNDS, RULES, Contest, hold
from bench.diff import goals
from bench.measure import Row

ABOUT: Final = "plans: from all that was observed, with nothing new, and after one event"
OBSERVED: Final = 100_000
HELD: Final = 1_000_000
SMALLEST: Final = 10_000


def main(arguments: Sequence[str]) -> int:
    wanted = parse(arguments)
    rows: list[Row] = []
    notes: list[str] = []
    for contest in contests(wanted):
        sys.stderr.write(f"bench: {contest.title}\n")
        rows += hold(contest)
        notes += [contest.note] if contest.note else []
    sys.stdout.write("\n".join([report.table(rows), "", *notes, RULES, ""]))
    if wanted.json:
        Path(wanted.json).write_text(report.as_json("diff", ROUNDS, rows))
    return report.exit_code(rows)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench diff", description=ABOUT, epilog=RULES)
    parser.add_argument("--n", type=_size, help=f"how many things; {OBSERVED:,} to compare, {HELD:,} to hold")
    parser.add_argument("--peer", type=_peers, default=(), help=f"some of {','.join(goals.TIMES_FASTER)}")
    parser.add_argument("--warm", action="store_true", help="only: planning again with nothing new")
    parser.add_argument("--events", action="store_true", help="only: one event, and how cost grows")
    parser.add_argument("--json", metavar="F", help="write the rows to this file too")
    return parser.parse_args(arguments)


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    """What was asked for; everything if nothing was."""
    everything = not (wanted.peer or wanted.warm or wanted.events)
    for peer in wanted.peer or (goals.TIMES_FASTER if everything else ()):
        yield goals.against_peer(peer, wanted.n or OBSERVED)
    if everything or wanted.warm:
        yield goals.nothing_new(wanted.n or HELD)
    if everything or wanted.events:
        yield goals.one_event(wanted.n or HELD)


def _size(text: str) -> int:
    if (size := int(text.replace("_", ""))) < SMALLEST:
        raise argparse.ArgumentTypeError(f"at least {SMALLEST:,}, not {size:,}")
    return size


def _peers(text: str) -> tuple[str, ...]:
    asked = tuple(text.split(","))
    if unknown := [peer for peer in asked if peer not in goals.TIMES_FASTER]:
        raise argparse.ArgumentTypeError(
            f"{', '.join(unknown)}: the peers are {', '.join(goals.TIMES_FASTER)}"
        )
    return asked
