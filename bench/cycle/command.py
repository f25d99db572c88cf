"""`bench cycle`: the goals P20 and P21. Counted, not timed."""

import argparse
import asyncio
from collections.abc import Sequence
from typing import Final

from bench.command import Command, Measured, parser, say, whole
from bench.cycle import budget, quiet
from bench.measure import Figure, row_of

ABOUT: Final = "provider calls: in a cycle without a change, and under a rate limit with a backlog"
ZONES: Final = 4
RECORDS: Final = 1_000
QPS: Final = 50
NOTE: Final = (
    "P20, P21: our real client against our simulator over a socket, counted there; no CPU is compared. "
    "P20: the one other call of a pass asks whether the zone is there."
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("cycle", ABOUT)
    made.add_argument("--n", type=whole(1), default=RECORDS, help=f"records in a zone; {RECORDS:,}")
    made.add_argument("--zones", type=whole(1), default=ZONES, help=f"how many zones; {ZONES}")
    made.add_argument("--qps", type=whole(10), help=f"only: under a limit of so many calls a second; {QPS}")
    made.add_argument(
        "--window", type=float, default=budget.WINDOW, help="seconds in which calls are counted"
    )
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    found: list[Figure] = []
    if wanted.qps is None:
        say(f"P20 {wanted.zones} zones of {wanted.n:,} records in which nothing changes")
        found += quiet.figures(asyncio.run(quiet.counted(wanted.zones, wanted.n)))
    found += budget.figures(asyncio.run(_budget(wanted)))
    return Measured(tuple(row_of(each) for each in found), (NOTE,))


async def _budget(wanted: argparse.Namespace) -> budget.Spent:
    settled = min(budget.SETTLED, 2.4 * wanted.window)
    return await budget.measured(wanted.qps or QPS, wanted.rounds, wanted.window, settled)


CYCLE: Final = Command(ABOUT, parse, measure)
