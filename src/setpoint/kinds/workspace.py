"""An environment. Its loop makes nothing itself: it starts pipelines and reports how far they are."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from setpoint.capabilities.mark import is_ours
from setpoint.capabilities.reach import account_of
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Declared, Entity, Shape, State
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.pipeline import progress
from setpoint.engine.plan import ABSENT, Absence, Plan, Start
from setpoint.engine.rows import Act, Task, TaskState
from setpoint.kinds.container import HOLDS

LIFECYCLE: Final = "lifecycle"
AGAIN_SECONDS: Final = 300.0
"""A pipeline that failed is tried again after this, or as soon as the declaration changes."""


class Workspace(Shape, frozen=True):
    """A bare-metal environment: hosts behind one perimeter."""

    provider: Annotated[str, Meta(description="The account its perimeter is made in, by name.", min_length=1)]
    type: Annotated[Literal["baremetal"], Meta(description="Servers, network and agents, no cluster.")] = (
        "baremetal"
    )


class Seen(Struct, frozen=True):
    """The perimeter at the provider, what lives inside, and the tasks so far."""

    perimeter: bool
    inside: Sequence[Declared]
    tasks: Sequence[Task]


class WorkspaceLoop(Struct, frozen=True):
    """Observes, and starts what is missing."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[Workspace]) -> Seen:
        firewalls = (await account_of(self.world, entity, entity.spec.provider)).firewalls
        found = await firewalls.firewall(perimeter_name(entity))
        ours = not isinstance(found, Absence) and is_ours(
            found.labels, self.world.habits.installation, entity.ref
        )
        inside = await self.world.intent.inside(entity.declared.inner or entity.scope)
        return Seen(ours, inside, await self.world.tasks(entity.ref))

    def plan(self, entity: Entity[Workspace], seen: Seen, now: float) -> Plan:
        running = next((task for task in seen.tasks if task.open), None)
        if running is not None:
            pipeline = self.world.pipelines[running.pipeline]
            words = progress(pipeline, running)
            reason = words if running.state is not TaskState.WAITING else f"{words}; {running.reason}"
            facts = {"task": running.id, "step": running.step, "steps_done": len(running.steps_done)}
            return Plan(state=State.PENDING, reason=reason, facts=facts)
        if entity.deleting == "withdrawn":
            command = f"setpoint delete workspace {entity.name}"
            return Plan(
                state=State.HELD, reason=f"no longer declared, but a workspace goes only by {command}"
            )
        if entity.deleting:
            return self._leaving(entity, seen, now)
        if seen.perimeter:
            return Plan(reason=f"active; {HOLDS}")
        return self._started("workspace.create", entity, seen, now)

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"a workspace has nothing to {act.verb}: its pipelines do the work")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT

    def _leaving(self, entity: Entity[Workspace], seen: Seen, now: float) -> Plan:
        if not seen.perimeter and not seen.inside:
            return Plan(gone=True)
        return self._started("workspace.delete", entity, seen, now)

    def _started(self, pipeline: str, entity: Entity[Workspace], seen: Seen, now: float) -> Plan:
        last = next((task for task in seen.tasks if task.pipeline == pipeline), None)
        same = last is not None and last.saved.get("generation") == entity.generation
        if last is not None and last.cancelled and same:
            hint = f"change it to begin anew, or setpoint delete workspace {entity.name}"
            return Plan(state=State.HELD, reason=f"{pipeline} was cancelled {last.cancelled}; {hint}")
        if last is not None and last.state is TaskState.FAILED and same:
            left = last.changed_at + AGAIN_SECONDS - now
            if left > 0:
                return Plan(state=State.FAILED, reason=f"{pipeline} failed: {last.error}", again_in=left)
        start = Start(
            pipeline=pipeline,
            target=entity.ref,
            key=LIFECYCLE,
            input={"workspace": entity.ref, "generation": entity.generation},
        )
        return Plan(starts=(start,), state=State.PENDING, reason=f"{pipeline} is asked for")


def perimeter_name(entity: Entity[Workspace]) -> str:
    """Unique in the account: the vendor itself refuses a second one."""
    return f"{entity.scope.project}-{entity.name}-{entity.ref[-6:]}"


WORKSPACE: Final = Kind(
    name="workspace",
    plural="workspaces",
    about="An environment: hosts behind one perimeter, made and removed by pipelines.",
    level="project",
    spec=Workspace,
    example={"provider": "hetzner", "type": "baremetal"},
    loop=WorkspaceLoop,
    every=Every(3600),
    on=(On("entity.config_changed"), On("entity.state_changed", "reference")),
    references={"provider": "provider"},
    fixed={"provider": str},
    columns={"TYPE": "spec.type", "INSIDE": "status.facts.inside"},
)
