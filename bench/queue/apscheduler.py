"""APScheduler 3 with interval jobs in an event loop: it is told the time, not slept for."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from apscheduler.executors.asyncio import AsyncIOExecutor
from apscheduler.schedulers import base
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bench.queue.interval import EVERY
from bench.trial import Trial

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Clock(datetime):
    """What its scheduler takes for the time."""

    told = BEGAN

    @classmethod
    def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
        return cls.told


class Told(AsyncIOScheduler):
    """Looks for what is due whenever it is told to."""

    def wakeup(self) -> None:
        """Nobody sleeps here."""


def jobs(size: int) -> Trial:
    base.datetime = Clock  # type: ignore[attr-defined]
    fired: list[int] = []
    runner = asyncio.Runner()
    scheduler = runner.run(_started(fired, size))

    async def interval() -> list[int]:
        """Looks when it wants to, which is whenever a job is due."""
        fired.clear()
        end = Clock.told + timedelta(seconds=EVERY)
        while (following := Clock.told + timedelta(seconds=scheduler._process_jobs())) <= end:
            Clock.told = following
            await asyncio.sleep(0)  # What was begun is done.
            await asyncio.sleep(0)  # And it is told so.
        Clock.told = end
        return fired

    return Trial(
        lambda: runner.run(interval()),
        lambda found: {"fired": len(found), "different": len(set(found))},
        size,
        close=runner.close,
    )


async def _started(fired: list[int], size: int) -> Told:
    async def job(number: int) -> None:
        fired.append(number)

    scheduler = Told(
        executors={"default": AsyncIOExecutor()},
        timezone=UTC,
        job_defaults={"coalesce": True, "misfire_grace_time": None},
    )
    scheduler.start()
    for number in range(size):
        first = BEGAN + timedelta(seconds=EVERY * (number * 7919 % size + 0.5) / size)
        scheduler.add_job(job, "interval", (number,), seconds=EVERY, next_run_time=first)
    return scheduler
