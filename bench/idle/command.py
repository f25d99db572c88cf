"""`bench idle`: the goal P7, how much of a core it takes to look at everything once in a while."""

import argparse
from collections.abc import Sequence
from typing import Final

from bench.command import Command, Measured, held, parser, whole
from bench.contest import Contest, Contestant
from bench.measure import Comparison, Goal, Slope
from bench.queue import interval

ABOUT: Final = "scheduling alone: a million keys, each due once in 60 s"
KEYS: Final = 1_000_000
SMALLEST: Final = 10_000
SHARE: Final = 0.02  # Of one core, for a million keys.


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("idle", ABOUT)
    made.add_argument("--n", type=whole(SMALLEST), default=KEYS, help=f"how many keys; {KEYS:,}")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    return held([contest(wanted.n)], wanted.rounds)


def contest(size: int) -> Contest:
    sizes = (size // 10, int(size / 10**0.5), size)
    ours = tuple(
        Contestant(f"ours, {each:,}", "bench.queue.interval:agenda", each, interval.right(each))
        for each in sizes
    )
    largest = ours[-1].name
    return Contest(
        title=f"P7 {size:,} keys every {interval.EVERY:.0f} s, beside a bare wheel",
        contestants=(*ours, Contestant("wheel", "bench.queue.interval:wheel", size, interval.right(size))),
        questions=(
            Comparison(
                f"P7 idle, {size:,}, 2 % of a core a million", largest, Goal("<=", 1), floor="allowed"
            ),
            Comparison(f"P7 idle, {size:,}, bare wheel", largest, None, floor="wheel"),
            Slope("exponent: idle for each key", {each.name: each.size for each in ours}, Goal("<=", 0.1)),
        ),
        limits={"allowed": SHARE * interval.EVERY / KEYS},
        note=(
            "P7: cost of one key and interval; 1.2 us are 2 % of a core for a million. The wheel has slots "
            "and nothing else: how far ours is from it depends little on the machine."
        ),
    )


IDLE: Final = Command(ABOUT, parse, measure)
