"""Which runner takes the turns of tasks, and what has to run beside it."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied
from setpoint.engine.tenure import Tenure
from setpoint.runners.address import read_runner
from setpoint.runners.embedded import EmbeddedRunner
from setpoint.runners.steps import Steps

Turn = Callable[[Ref], Awaitable[float | None]]


class Background(Protocol):
    """Runs until it is stopped."""

    async def run(self) -> None: ...

    def stop(self) -> None: ...


def chosen(steps: Steps, tenure: Tenure, written: str, at_once: int) -> tuple[Turn, tuple[Background, ...]]:
    """As the setting is written: our own turns, or Temporal, where that is installed."""
    address = read_runner(written)
    if address is None:
        return EmbeddedRunner(steps, tenure).turn, ()
    try:
        from setpoint.runners.temporal import Pace, TemporalRunner  # noqa: PLC0415 - not everybody has it
    except ImportError as error:
        raise Denied(f"{error}; install it with: pip install 'setpoint[temporal]'") from error
    runner = TemporalRunner(steps, address, Pace(at_once=at_once))
    return runner.turn, (runner,)
