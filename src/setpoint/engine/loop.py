"""The contract between the engine and one kind: observe, plan, act, look."""

from typing import Any, Protocol

from setpoint.engine.entity import AnyEntity, AnyJson
from setpoint.engine.plan import Absence, Plan
from setpoint.engine.rows import Act

AnySeen = Any


class Loop(Protocol):
    """One bounded domain."""

    @property
    def settles_in(self) -> float:
        """How long after its deadline a call may still land, or its effect stay unseen."""
        ...

    async def observe(self, entity: AnyEntity) -> AnySeen:
        """All of it, or raise: half an observation is none."""
        ...

    def plan(self, entity: AnyEntity, seen: AnySeen, now: float) -> Plan:
        """Pure: the same arguments give the same plan."""
        ...

    async def act(self, entity: AnyEntity, act: Act) -> None:
        """Twice is the same as once. What it makes carries the act's id as its mark."""
        ...

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        """One item, directly at its source: for the second look and for settling."""
        ...
