"""`bench queue`: the goals P5, P6 and P8."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bench.command import Command, Measured, held, parser, some_of, whole
from bench.contest import Contest
from bench.queue import goals

ABOUT: Final = "the agenda: drained, on intervals, and something fresh behind a backlog"
KEYS: Final = 100_000
JOBS: Final = 10_000
BACKLOG: Final = 1_000_000
SMALLEST: Final = 1_000


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("queue", ABOUT)
    sizes = f"{KEYS:,} to drain, {JOBS:,} on intervals, {BACKLOG:,} in front"
    made.add_argument("--n", type=whole(SMALLEST), help=f"how many keys; {sizes}")
    peers = ",".join(goals.PEERS)
    made.add_argument("--peer", type=some_of(goals.PEERS), default=(), help=f"only: intervals beside {peers}")
    made.add_argument("--backlog", action="store_true", help="only: something fresh behind a backlog")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    found = held(contests(wanted), wanted.rounds)
    if wanted.peer or wanted.backlog:
        return found
    first, even, *others = found.rows
    return replace(found, rows=(first, even, *goals.recorded(first.ours), *others))


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    everything = not (wanted.peer or wanted.backlog)
    if everything:
        yield goals.drained(wanted.n or KEYS)
    if everything or wanted.peer:
        yield goals.on_intervals(wanted.peer or tuple(goals.PEERS), wanted.n or JOBS)
    if everything or wanted.backlog:
        yield goals.backlog(wanted.n or BACKLOG)


QUEUE: Final = Command(ABOUT, parse, measure)
