"""Why something is as it is, over HTTP: the engine's words, with a held plan by its causes."""

from typing import Any

from setpoint.api.outline import outlined
from setpoint.api.services import Services
from setpoint.engine.entity import AnyEntity
from setpoint.engine.explain import explained, facts_of

AnyJson = Any


async def told_why(services: Services, entity: AnyEntity, item: str) -> dict[str, AnyJson]:
    """As long as there are causes, however many changes the plan has."""
    facts = await facts_of(services.store, services.kinds, entity, item)
    told = explained(facts, services.runtime.now(), item)
    plan = await outlined(facts.plan) if facts.plan is not None else None
    return {**told, "evidence": {**told["evidence"], "plan": plan}}
