"""`workspace.delete`: wait until it is empty, take down the perimeter, see that it is gone."""

from typing import Final

from setpoint.capabilities.mark import is_ours
from setpoint.capabilities.world import World
from setpoint.engine.pipeline import Pipeline, Step, Wait
from setpoint.engine.plan import Absence
from setpoint.engine.rows import Task
from setpoint.kinds.workspace import perimeter_name
from setpoint.pipelines.workspace_state import WorkspaceState, reached

EMPTY_SECONDS: Final = 2.0


async def _empty(world: World, state: WorkspaceState, task: Task) -> WorkspaceState | Wait:
    entity, _ = await reached(world, state)
    inside = await world.intent.inside(entity.declared.inner or entity.scope)
    if inside:
        return Wait(EMPTY_SECONDS, f"waiting for {len(inside)} things inside to go: {inside[0].name} first")
    return state


async def _perimeter(world: World, state: WorkspaceState, task: Task) -> WorkspaceState:
    entity, account = await reached(world, state)
    found = await account.firewalls.firewall(perimeter_name(entity))
    if not isinstance(found, Absence) and is_ours(found.labels, world.habits.installation, entity.ref):
        await account.firewalls.delete_firewall(found.id)
    return state


async def _gone(world: World, state: WorkspaceState, task: Task) -> WorkspaceState | Wait:
    entity, account = await reached(world, state)
    if not isinstance(await account.firewalls.firewall(perimeter_name(entity)), Absence):
        return Wait(1.0, "the perimeter is still visible")
    return state


WORKSPACE_DELETE: Final = Pipeline(
    name="workspace.delete",
    about="Removes a bare-metal workspace once nothing is left inside.",
    state=WorkspaceState,
    steps=(
        Step("empty", "nothing is left inside", _empty, looks=True),
        Step("perimeter", "its firewall is taken down", _perimeter, destroys=True),
        Step("verify", "the perimeter is gone", _gone, looks=True),
    ),
)
