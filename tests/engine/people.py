"""What people do in these tests, and the shelves they do it to: approve, protect, withdraw."""

from typing import Any

from msgspec.structs import replace

from setpoint.engine import approval as approvals
from setpoint.engine.entity import Ref
from setpoint.engine.limits import HOUR
from setpoint.engine.plan import Action
from setpoint.engine.release import Decision
from setpoint.engine.rows import Approval, PlanRow

from .plant import Plant
from .situations import NOW

BOOKS = {f"{n:02d}": n for n in range(30)}


def yes(actions: tuple[Action, ...], *waives: str, **more: Any) -> Approval:
    """An approval of exactly these, for these reasons, good for an hour."""
    items = {action.item: action.line for action in actions}
    values: dict[str, Any] = {"created_at": NOW, "expires_at": NOW + HOUR, "items": items}
    about: dict[str, Any] = {"id": "y", "ref": Ref("zone/1"), "plan": "p", "digest": "d"}
    return Approval(waives=waives, approver="ann", reason="ok", **(about | values | more))


async def approve(plant: Plant, plan: PlanRow, seconds: float = HOUR) -> Approval:
    """Ann approves a held plan."""
    now, identity = plant.runtime.now(), plant.runtime.new_id()
    agreed = approvals.granted(plan, identity=identity, actor="ann", reason="ok", times=(now, now + seconds))
    await plant.store.commit(approvals.approve(plan, agreed))
    return agreed


async def decision(plant: Plant, ref: Ref, item: str) -> Decision:
    """What Bob decides about one item, to be handed to protect, unprotect or release."""
    declared = (await plant.entity(ref)).declared
    return Decision(declared, item, "bob", "because", plant.runtime.now(), plant.runtime.new_id())


async def shrunk(plant: Plant, by: int = 1) -> Ref:
    """A well-known shelf of 30 books of which the first few are no longer declared."""
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[by:]))
    return ref


async def held(plant: Plant) -> Ref:
    """A shelf of 30 of which six are no longer declared: a plan on record waits for a person."""
    ref = await shrunk(plant, by=6)
    await plant.run(ref)
    return ref


async def usual(plant: Plant, *sizes: int) -> Ref:
    """A shelf whose plans had these sizes so far."""
    ref = await plant.shelf(BOOKS)
    await plant.put(replace(await plant.ledger(ref), sizes=sizes))
    return ref


async def shelves(plant: Plant, number: int, withdrawn: int = 2, **spec: Any) -> list[Ref]:
    """Shelves of 30 books on proven ground, each with so many that are no longer declared."""
    refs = []
    for n in range(number):
        books = dict(list(BOOKS.items())[withdrawn:])
        row = await plant.declare("shelf", f"shelf-{n:02d}", books=books, **spec)
        plant.loop.places[row.ref] = dict(BOOKS)
        await plant.proven(row.ref)
        refs.append(row.ref)
    return refs
