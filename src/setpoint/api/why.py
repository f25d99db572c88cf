"""Why something is as it is, over HTTP: the engine's words, with a held plan by its causes."""

from typing import Any

from setpoint.api.observations import described
from setpoint.api.outline import outlined
from setpoint.api.render import shown_seen
from setpoint.api.services import Services
from setpoint.engine.entity import AnyEntity
from setpoint.engine.explain import explained, facts_of

AnyJson = Any


async def told_why(services: Services, entity: AnyEntity, item: str) -> dict[str, AnyJson]:
    """As long as there are causes, however many changes the plan has."""
    entity = await services.rendered.current(entity)
    facts, now = await facts_of(services.store, services.kinds, entity, item), services.runtime.now()
    observations = services.rendered.observations
    [seen] = await observations.of((observations.watched(entity.declared, entity.status),))
    told = explained(facts, now, item, described(seen, now))
    plan = await outlined(facts.plan) if facts.plan is not None else None
    status = {**told["evidence"]["status"], **shown_seen(seen)}
    return {**told, "evidence": {**told["evidence"], "status": status, "plan": plan}}
