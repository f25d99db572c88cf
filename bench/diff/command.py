"""`bench diff`: the goals P1 to P4 and how cost may grow, as contests."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from bench.command import Command, Measured, held, parser, some_of, whole
from bench.contest import Contest
from bench.diff import goals

ABOUT: Final = "plans: from all that was observed, with nothing new, and after one event"
OBSERVED: Final = 100_000
HELD: Final = 1_000_000
SMALLEST: Final = 10_000


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("diff", ABOUT)
    made.add_argument(
        "--n", type=whole(SMALLEST), help=f"how many things; {OBSERVED:,} to compare, {HELD:,} to hold"
    )
    made.add_argument(
        "--peer", type=some_of(goals.TIMES_FASTER), default=(), help=f"some of {','.join(goals.TIMES_FASTER)}"
    )
    made.add_argument("--warm", action="store_true", help="only: planning again with nothing new")
    made.add_argument("--events", action="store_true", help="only: one event, and how cost grows")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    return held(contests(wanted), wanted.rounds)


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    """What was asked for; everything if nothing was."""
    everything = not (wanted.peer or wanted.warm or wanted.events)
    for peer in wanted.peer or (goals.TIMES_FASTER if everything else ()):
        yield goals.against_peer(peer, wanted.n or OBSERVED)
    if everything or wanted.warm:
        yield goals.nothing_new(wanted.n or HELD)
    if everything or wanted.events:
        yield goals.one_event(wanted.n or HELD)


DIFF: Final = Command(ABOUT, parse, measure)
