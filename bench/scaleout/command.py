"""`bench scaleout`: how much several replicas do is told; how soon one stands in is judged."""

import argparse
import asyncio
from collections.abc import Sequence
from typing import Final

from bench.command import Command, Measured, parser, whole
from bench.measure import Figure, Goal, row_of
from bench.scaleout import failover, throughput

ABOUT: Final = "several replicas: passes and tasks a second, and how soon one stands in for another"
REPLICAS: Final = (1, 2, 3)
LEASES: Final = (6.0, 30.0)
SECONDS: Final = 8.0
TASKS: Final = 48
NOTE: Final = (
    "Scaleout: real processes with fsync on; API, database and cloud share the cores with them, so on two "
    "cores there is little to gain. Shares are of the first row's. Failover is from kill -9 of a scheduler "
    "to the first act on its accounts by another; it may take the lease and two renewals."
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("scaleout", ABOUT)
    made.add_argument(
        "--replicas", type=_numbers, default=REPLICAS, help="how many of each, with commas: 1,2,3"
    )
    made.add_argument(
        "--leases", type=_seconds, default=LEASES, help="seconds, with commas: 6,30; 0: no failover"
    )
    made.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"for which passes are counted; {SECONDS:g}"
    )
    made.add_argument("--tasks", type=whole(1), default=TASKS, help=f"how many tasks; {TASKS}")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    try:
        found = asyncio.run(_figures(wanted))
    except ImportError as error:
        found = [Figure("scaleout", 0.0, "", Goal(">=", 1), doubt=f"missing: {error}")]
    return Measured(tuple(row_of(each) for each in found), (NOTE,))


async def _figures(wanted: argparse.Namespace) -> list[Figure]:
    done = [await throughput.measured(number, wanted.seconds, wanted.tasks) for number in wanted.replicas]
    several = max((2, *wanted.replicas))
    taken = [
        await failover.measured(several, lease, loaded=loaded)
        for lease in wanted.leases
        if lease
        for loaded in (False, True)
    ]
    return [*throughput.figures(done), *failover.figures(taken)]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(","))


def _seconds(text: str) -> tuple[float, ...]:
    return tuple(float(each) for each in text.split(","))


SCALEOUT: Final = Command(ABOUT, parse, measure)
