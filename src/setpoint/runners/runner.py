"""What the worker needs of whatever runs its tasks."""

from typing import Protocol

from setpoint.engine.entity import Ref


class Runner(Protocol):
    """Its turns come from the worker's drive; what it has to do besides them, it does in `run`."""

    async def turn(self, ref: Ref) -> float | None:
        """Sees to one task. Returns when to look again; None: not before it is woken."""
        ...

    async def run(self) -> None:
        """Until stopped."""
        ...

    def stop(self) -> None:
        """No step begins after this."""
        ...
