"""Our process on a host. It declares itself by enrolling; its loop checks connection and version."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from setpoint import __version__
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Entity, Shape, State
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, Absence, Plan
from setpoint.engine.rows import Act, Sign
from setpoint.kinds import liveness


class Agent(Shape, frozen=True):
    """Which host it runs on and how it was let in."""

    host: Annotated[str, Meta(description="The host it runs on, by name.")]
    enrolled_by: Annotated[str, Meta(description="The act that made its server.")]
    key: Annotated[str, Meta(description="Hash of the key it reports with.")]
    disputed_at: Annotated[
        float, Meta(description="When its enrolment token was presented a second time; 0: never.")
    ] = 0.0


class AgentLoop(Struct, frozen=True):
    """Observe only."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[Agent]) -> Sign | Absence | None:
        """Its last sign, if there was one; absent when its host is."""
        host = entity.declared.parent
        if host is not None and await self.world.intent.entity(host) is None:
            return ABSENT
        return (await self.world.signs([entity.ref])).get(entity.ref)

    def plan(self, entity: Entity[Agent], seen: Sign | Absence | None, now: float) -> Plan:
        # One that enrolled while its host was being deleted goes with it all the same.
        if entity.deleting or isinstance(seen, Absence):
            return Plan(gone=True)
        heartbeat = self.world.habits.heartbeat_seconds
        condition = liveness.alive(seen, entity.status.conditions, heartbeat, now)
        facts = seen.facts if seen is not None else {}
        version = facts.get("version", __version__)
        current = "" if version == __version__ else f"; version {version}, current is {__version__}"
        disputed = liveness.disputed(entity.spec.disputed_at, now)
        if condition.status == "True" and disputed:
            state, reason = State.DEGRADED, f"connected, but {disputed}"
        elif condition.status == "True":
            state, reason = State.READY, f"connected{current}"
        elif condition.status == "Unknown":
            state, reason = State.PENDING, condition.message
        else:
            state, reason = State.DEGRADED, condition.message
        return Plan(
            state=state,
            reason=reason,
            conditions=(condition,),
            facts=facts,
            again_in=liveness.due_in(seen, heartbeat, now) if condition.status == "True" else None,
        )

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"an agent has nothing to {act.verb}")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT


AGENT: Final = Kind(
    name="agent",
    plural="agents",
    about="Our process on a host: it enrols itself, then reports that it is alive.",
    level="workspace",
    spec=Agent,
    example={"host": "web-1", "enrolled_by": "1m7gdpak09v07r7ywcr6", "key": "sha-256 of its key"},
    loop=AgentLoop,
    every=Every(60),
    on=(On("host.heartbeat_resumed"),),
    by_machine=True,
    columns={"HOST": "spec.host", "VERSION": "status.facts.version"},
)
