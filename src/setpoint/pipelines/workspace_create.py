"""`workspace.create`, bare metal: prove the account, put up the perimeter, see that it stands."""

from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from setpoint.capabilities.mark import is_ours, mark
from setpoint.capabilities.world import World
from setpoint.engine.errors import Conflict, Rejected
from setpoint.engine.pipeline import Pipeline, Step, Wait
from setpoint.engine.plan import Absence
from setpoint.engine.rows import Task
from setpoint.kinds.workspace import perimeter_name
from setpoint.pipelines.workspace_state import WorkspaceState, reached


async def _account(world: World, state: WorkspaceState, task: Task) -> WorkspaceState:
    _, account = await reached(world, state)
    await account.sweep()
    return state


async def _perimeter(world: World, state: WorkspaceState, task: Task) -> WorkspaceState:
    entity, account = await reached(world, state)
    name = perimeter_name(entity)
    found = await account.firewalls.firewall(name)
    if isinstance(found, Absence):
        labels = mark(world.habits.installation, entity.ref, task.id)
        inside = f"setpoint/workspace={entity.scope.project}.{entity.name}"
        # A conflict means that an earlier try of ours got through after all; the next look tells whose it is.
        with suppress(Conflict):
            await account.firewalls.create_firewall(name, labels, inside)
        found = await account.firewalls.firewall(name)
    if isinstance(found, Absence):
        raise Conflict(f"firewall {name} was made but is not visible yet")
    if not is_ours(found.labels, world.habits.installation, entity.ref):
        raise Rejected(f"a firewall called {name} exists without our mark")
    made_by_us = found.labels.get("setpoint/act") == task.id
    return replace(state, firewall=found.id if made_by_us else state.firewall)


async def _remove_perimeter(world: World, state: WorkspaceState, task: Task) -> WorkspaceState:
    """Removes only what this very task made."""
    entity, account = await reached(world, state)
    found = await account.firewalls.firewall(perimeter_name(entity))
    if not isinstance(found, Absence) and found.labels.get("setpoint/act") == task.id:
        await account.firewalls.delete_firewall(found.id)
    return replace(state, firewall="")


async def _stands(world: World, state: WorkspaceState, task: Task) -> WorkspaceState | Wait:
    entity, account = await reached(world, state)
    if isinstance(await account.firewalls.firewall(perimeter_name(entity)), Absence):
        return Wait(1.0, "the perimeter is not visible yet")
    return state


WORKSPACE_CREATE: Final = Pipeline(
    name="workspace.create",
    about="Makes a bare-metal workspace.",
    state=WorkspaceState,
    steps=(
        Step("account", "the credential works and the account can be read", _account, looks=True),
        Step("perimeter", "a firewall stands before the workspace's hosts", _perimeter, _remove_perimeter),
        Step("verify", "the perimeter is there", _stands, looks=True),
    ),
)
