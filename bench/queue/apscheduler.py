"""APScheduler 3 with interval jobs, on a clock of our own: it is told the time instead of waiting for it."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers import base

from bench.queue.interval import EVERY
from bench.trial import Trial
from setpoint.engine.agenda import SLOT_SECONDS

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Clock(datetime):
    """What its scheduler takes for the time."""

    told = BEGAN

    @classmethod
    def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
        return cls.told


class Told(base.BaseScheduler):
    """Runs what is due whenever it is told to, in this thread."""

    def start(self, paused: bool = False) -> None:
        super().start(paused)

    def shutdown(self, wait: bool = True) -> None:
        super().shutdown(wait)

    def wakeup(self) -> None:
        """Nobody sleeps here."""


def jobs(size: int) -> Trial:
    base.datetime = Clock  # type: ignore[attr-defined]
    fired: list[int] = []
    scheduler = Told(
        executors={"default": DebugExecutor()},
        timezone=UTC,
        job_defaults={"coalesce": True, "misfire_grace_time": None},
    )
    scheduler.start()
    for number in range(size):
        first = BEGAN + timedelta(seconds=EVERY * (number * 7919 % size + 0.5) / size)
        scheduler.add_job(fired.append, "interval", (number,), seconds=EVERY, next_run_time=first)

    def run() -> list[int]:
        """As many looks as our own agenda has slots in an interval."""
        fired.clear()
        for _ in range(int(EVERY / SLOT_SECONDS)):
            Clock.told += timedelta(seconds=SLOT_SECONDS)
            scheduler._process_jobs()
        return fired

    return Trial(run, lambda found: {"fired": len(found), "different": len(set(found))}, size)
