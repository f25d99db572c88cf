"""Who holds a zone at its provider, as its marks say: the last word where one account has several names."""

from collections.abc import Sequence

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.capabilities.mark import INSTALLATION, entity_in, is_ours
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, Ref, kind_of

ANOTHER_INSTALLATION = "another installation"
ELSEWHERE = "another zone of this installation"


async def holder_of(world: World, entity: AnyEntity, zone: Zone, records: Sequence[RecordSet]) -> str:
    """Returns who holds it instead of this entity; empty if nobody does.

    The mark of the zone decides, then the marks of its records: who has none there is second, and of two that
    have some, the one declared later. What an entity left behind that is gone holds nobody up.
    """
    here = world.habits.installation
    if zone.labels.get(INSTALLATION, here) != here:
        return ANOTHER_INSTALLATION
    owner = entity_in(zone.labels, here)
    if owner == entity.ref:
        return ""
    if owner is not None and (other := await _declared(world, entity, owner)):
        return _called(entity, other)
    marked = {ref for record in records if (ref := entity_in(record.labels, here)) and ref != entity.ref}
    mine = any(is_ours(record.labels, here, entity.ref) for record in records)
    for ref in sorted(marked):
        other = await _declared(world, entity, ref)
        if other is not None and (not mine or _age(other) < _age(entity)):
            return _called(entity, other)
    return ""


async def _declared(world: World, entity: AnyEntity, ref: Ref) -> AnyEntity | None:
    return await world.intent.entity(ref) if kind_of(ref) == entity.declared.kind else None


def _age(entity: AnyEntity) -> tuple[float, Ref]:
    return entity.declared.created_at, entity.ref


def _called(entity: AnyEntity, other: AnyEntity) -> str:
    """By name to those who live beside it; a status is read by people who may not see other places."""
    return f"dns_zone {other.name}" if other.scope == entity.scope else ELSEWHERE
