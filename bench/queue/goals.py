"""The goals of `bench queue`, as contests; what Go does is on record, as it is not run here."""

from collections.abc import Sequence
from typing import Final

from bench.contest import Contest, Contestant
from bench.measure import Comparison, Goal, Row, Slope
from bench.queue import drain, fresh, interval
from bench.trial import Counts

PEERS: Final = {"apscheduler": 30, "kopf": 50}
TRIALS: Final = {"apscheduler": "bench.queue.apscheduler:jobs", "kopf": "bench.queue.kopf:watched"}
NOTE: Final = (
    "P6: each job is a coroutine that does nothing. APScheduler is told the time, not slept for; kopf has no "
    "cluster: its watcher and its workers are fed by a generator, its processor is empty."
)
RECORDED: Final = {
    "controller-runtime priority queue": (1 / 0.57e6, 1.0),
    "client-go workqueue": (1 / 1.80e6, 0.3),
}
"""Seconds for each item, drained through workers, 100,000 of them; and the share of their speed to reach."""


def drained(size: int) -> Contest:
    """P5: everything from the wake of a key to the end of its pass."""
    right = drain.right(size)
    return Contest(
        title=f"P5 drain of {size:,} keys through {drain.WORKERS} workers, beside asyncio.Queue",
        contestants=(
            Contestant("ours", "bench.queue.drain:agenda", size, right),
            Contestant("even", "bench.queue.drain:even", size, right),
            Contestant("asyncio", "bench.queue.drain:asyncio_queue", size, right),
        ),
        questions=(
            Comparison(f"P5 drain, {size:,} keys, asyncio.Queue", "ours", Goal(">=", 0.4), floor="asyncio"),
            Comparison("P5 drain, four lanes evenly full, asyncio.Queue", "even", None, floor="asyncio"),
        ),
        note=(
            "P5: a storm of looks, a tenth in the other lanes, ten tenants by turns, every tenth key woken "
            "twice; asyncio.Queue has none of it."
        ),
    )


def recorded(ours: float | None) -> tuple[Row, ...]:
    """Beside figures measured once on another day: told, not judged."""
    return tuple(
        Row(
            name=f"P5 drain, {name}",
            ours=ours,
            peer=cost,
            floor=None,
            ratio=None if ours is None else cost / ours,
            spread=None,
            goal="",
            met=None,
            doubt=f"recorded, Go 1.27; the goal is {share:g} where both run",
        )
        for name, (cost, share) in RECORDED.items()
    )


def on_intervals(peers: Sequence[str], size: int) -> Contest:
    """P6."""
    fired: Counts = {"fired": size, "different": size}
    return Contest(
        title=f"P6 {size:,} jobs on an interval, beside {' and '.join(peers)}",
        contestants=(
            Contestant("ours", "bench.queue.interval:handled", size, interval.right(size)),
            *(Contestant(peer, TRIALS[peer], size, fired) for peer in peers),
        ),
        questions=tuple(
            Comparison(f"P6 {size:,} jobs, {peer}", "ours", Goal(">=", PEERS[peer]), peer=peer)
            for peer in peers
        ),
        note=NOTE,
    )


def backlog(size: int) -> Contest:
    """P8, and how it grows."""
    sizes = (1, size // 100, size // 10, size)
    behind = tuple(
        Contestant(_named(each), "bench.queue.fresh:behind", each, fresh.right()) for each in sizes
    )
    none, *some = behind
    return Contest(
        title=f"P8 something fresh behind {size:,} looks that have been due for an hour, beside nothing",
        contestants=behind,
        questions=(
            Comparison(
                f"P8 fresh behind {size:,}, empty queue", some[-1].name, Goal("<=", 1.5), floor=none.name
            ),
            Comparison(f"P8 fresh behind {size:,}, 5 ms", some[-1].name, Goal("<=", 1), floor="allowed"),
            Slope("exponent: fresh over backlog", {each.name: each.size for each in some}, Goal("<=", 0.1)),
        ),
        limits={"allowed": 5e-3},
        note="P8: a change by a person; from its wake to its handling by one worker who is at the backlog.",
    )


def _named(size: int) -> str:
    return f"behind {size:,}" if size > 1 else "behind nothing"
