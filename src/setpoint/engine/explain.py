"""Why something is as it is: one sentence, then the chain, then the evidence, all from recorded facts."""

from typing import Any

from msgspec import to_builtins

from setpoint.engine.doubts import Lever, strictest
from setpoint.engine.entity import AnyEntity, Declared, State
from setpoint.engine.guards import GUARDS
from setpoint.engine.kind import Kinds
from setpoint.engine.levers import read_levers
from setpoint.engine.rows import Mode, PlanRow, PlanState
from setpoint.engine.store import ACTS_OPEN, ACTS_PAGE, EVENTS_OF, TASKS_OF, Store

AnyJson = Any


async def why(store: Store, kinds: Kinds, entity: AnyEntity, now: float) -> dict[str, AnyJson]:
    """The answer as data; the command line and the console only lay it out."""
    judge = await _judge(store, kinds, entity)
    lever = strictest((await read_levers(store, kinds, judge)).levers)
    plan = await store.get(PlanRow, entity.status.plan) if entity.status.plan else None
    acts = await store.read(ACTS_PAGE, domain=judge.ref, after="", limit=5)
    waiting = await store.read(ACTS_OPEN, domain=judge.ref)
    tasks = [task for task in await store.read(TASKS_OF, target=entity.ref) if task.open]
    chain = [f"declared: generation {entity.generation}, by {entity.declared.changed_by or 'unknown'}"]
    if entity.deleting:
        chain.append(f"deletion {entity.deleting}")
    if judge.ref != entity.ref:
        chain.append(f"judged together with {judge.kind} {judge.name}")
    if lever.mode is not Mode.RUN:
        chain.append(f"{lever.mode} by {lever.source}")
    chain += [f"task {task.pipeline}: {task.reason}" for task in tasks]
    chain += [f"open act: {act.verb} {act.item} since {now - act.began_at:.0f} s" for act in waiting]
    if plan is not None:
        chain += [f"guard {hold.guard}: {hold.message}" for hold in plan.holds]
    return {
        "sentence": _sentence(entity, now),
        "chain": chain,
        "next": _next_commands(plan, lever),
        "evidence": {
            "status": to_builtins(entity.status),
            "plan": to_builtins(plan) if plan is not None else None,
            "acts": [to_builtins(act) for act in acts],
            "events": [to_builtins(event) for event in await store.read(EVENTS_OF, ref=entity.ref, limit=10)],
            "guards": [{"name": g.name, "default": g.default, "release": g.release} for g in GUARDS],
        },
    }


async def _judge(store: Store, kinds: Kinds, entity: AnyEntity) -> Declared:
    """The entity whose loop judges this one: itself, or its parent."""
    if kinds[entity.declared.kind].loop is None and entity.declared.parent is not None:
        return await store.get(Declared, entity.declared.parent) or entity.declared
    return entity.declared


def _sentence(entity: AnyEntity, now: float) -> str:
    status = entity.status
    behind = status.state is not State.READY or status.generation == entity.generation
    wanted = "" if behind else f" (about generation {status.generation}, wanted is {entity.generation})"
    return f"{entity.name} is {status.state} since {now - status.since:.0f} s: {status.reason}{wanted}"


def _next_commands(plan: PlanRow | None, lever: Lever) -> list[str]:
    if plan is not None and plan.state is PlanState.HELD:
        return [
            f"setpoint describe plan {plan.id}",
            f"setpoint reject {plan.id}",
            f"setpoint approve {plan.id}",
        ]
    return [lever.release] if lever.mode is not Mode.RUN else []
