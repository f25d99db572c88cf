"""What organizations and projects have in common: they hold things, and go only when they are empty."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Declared, State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Absence, Plan
from setpoint.engine.rows import Act

HOLDERS: Final = ("organization", "project", "workspace")
"""What holds other objects, and is shown with how many."""
HOLDS: Final = "holds what is declared in it"
"""What a status says of it; the API counts it when it is shown."""
LIMITS_SECONDS: Final = 60.0
"""How often what has limits is held against them."""


class ContainerLoop(Struct, frozen=True):
    """Observe only: counts what is inside, compares it with the limits, lets go of an empty one."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: AnyEntity) -> Sequence[Declared]:
        return await self.world.intent.inside(entity.declared.inner or entity.scope)

    def plan(self, entity: AnyEntity, seen: Sequence[Declared], now: float) -> Plan:
        counts = Counter(row.kind for row in seen)
        if entity.deleting:
            words = f"waiting for {contents_of(counts)} inside to go first"
            return Plan(gone=not seen, state=State.PENDING, reason=words, again_in=1.0)
        limits: dict[str, int] = getattr(entity.spec, "limits", {})
        over = [f"{counts[kind]} {kind} of {most}" for kind, most in limits.items() if counts[kind] > most]
        if over:
            reason = f"over its limits: {', '.join(over)}"
            return Plan(state=State.DEGRADED, reason=reason, again_in=LIMITS_SECONDS)
        return (
            Plan(reason=f"{HOLDS}; within its limits", again_in=LIMITS_SECONDS)
            if limits
            else Plan(reason=HOLDS)
        )

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"{entity.declared.kind} has nothing to {act.verb}")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT


def contents_of(counts: Counter[str]) -> str:
    """`2 dns_zone, 5 host`."""
    return ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())) or "nothing yet"
