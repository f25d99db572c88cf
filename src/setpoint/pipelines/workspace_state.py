"""What workspace pipelines carry from step to step, and how they find their workspace."""

from setpoint.capabilities.account import Account
from setpoint.capabilities.reach import account_of
from setpoint.capabilities.world import World
from setpoint.engine.entity import Entity, Ref, Shape
from setpoint.engine.errors import Missing
from setpoint.kinds.workspace import Workspace


class WorkspaceState(Shape, frozen=True):
    """Saved after each step."""

    workspace: Ref
    generation: int
    firewall: str = ""
    """The id of the firewall this task made; empty if it found one."""


async def reached(world: World, state: WorkspaceState) -> tuple[Entity[Workspace], Account]:
    """The workspace as declared now, and the account it lives in."""
    entity = await world.intent.entity(state.workspace)
    if entity is None:
        raise Missing(f"{state.workspace} is not declared any more")
    return entity, await account_of(world, entity, entity.spec.provider)
