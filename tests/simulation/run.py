"""One seed, from a number to a verdict."""

import gc
import logging
import time
import traceback
from collections.abc import Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from setpoint.engine.errors import FAILURES
from setpoint.log import heard_by
from simulation.kernel import SimLoop, Violation, played
from simulation.weather import drawn
from simulation.world import World

LOOP: ContextVar[SimLoop | None] = ContextVar("loop", default=None)


@dataclass(frozen=True)
class Verdict:
    """What became of one world."""

    seed: int
    violation: str
    digest: str
    simulated: float
    took: float
    counted: dict[str, int]
    trace: list[str] = field(default_factory=list)


def judged(seed: int, *, traced: bool = False, strong: Collection[str] = ()) -> Verdict:
    """Lives through the world of this seed."""
    began = time.process_time()
    loop = SimLoop(seed)
    loop.trace = [] if traced else None
    said = _lived(loop, strong)
    verdict = Verdict(
        seed=seed,
        violation=said,
        digest=loop.digest,
        simulated=loop.time(),
        took=time.process_time() - began,
        counted={**loop.counted, "steps": loop.steps},
        trace=loop.trace or [],
    )
    loop.forget()
    return verdict


def prepared() -> None:
    """Once in a process: what is logged is heard by the judge, and nobody else."""
    heard_by(_heard)
    logging.disable(logging.CRITICAL)
    gc.freeze()


def _lived(loop: SimLoop, strong: Collection[str]) -> str:
    token = LOOP.set(loop)
    try:
        world = World(loop, drawn(loop.chance, loop.fate, strong))
        played(loop, world.story())
    except Violation as violation:
        return str(violation)
    except Exception:  # noqa: BLE001 - a mistake of the simulation is told as one
        return f"the simulation broke: {traceback.format_exc()}"
    finally:
        LOOP.reset(token)
    return ""


def _heard(event: Mapping[str, Any]) -> None:
    """An error that nobody expected is a bug."""
    loop, error = LOOP.get(), event.get("exc_info")
    if loop is not None and not loop.is_closed():
        loop.note("log", event.get("event"), event.get("ref", ""), event.get("why", ""), repr(error))
        if isinstance(error, Exception) and not isinstance(error, FAILURES):
            where = "".join(traceback.format_exception(error)[-2:])
            loop.violated("bug", f"{event.get('event')} {event.get('ref', '')}: {error!r} {where}")
