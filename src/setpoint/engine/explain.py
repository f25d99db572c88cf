"""Why something is as it is: one sentence, then the chain, then the evidence, all from recorded facts."""

from typing import Any

from msgspec import Struct, to_builtins

from setpoint.engine.case import Lever, strictest
from setpoint.engine.entity import AnyEntity, Declared, State, Status
from setpoint.engine.guards import GUARDS, Guard
from setpoint.engine.kind import Kinds
from setpoint.engine.ledger import Ledger, Parked, Protection, item_key
from setpoint.engine.levers import read_levers
from setpoint.engine.limits import Limits
from setpoint.engine.moments import span
from setpoint.engine.outcome import STATE_CHANGED, STATUS_CHANGED
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, Event, HoldRow, Mode, PlanRow, PlanState, Task
from setpoint.engine.store import ACTS_OPEN, ACTS_PAGE, EVENTS_OF, PASSES_PAGE, TASKS_OF, Store
from setpoint.words import times

AnyJson = Any
ACTS_SHOWN = 5
COMMAND = ": setpoint "
"""What stands before a command at the end of a reason."""
SITUATIONS = {
    "observe_only": "paused",
    "no_deletes": "paused",
    "waiting": "waiting",
    "contested": "contested",
    "failure_brake": "failing",
    "back_off": "failing",
    "slow_lane": "failing",
}
"""What a standing hold makes of it, where that is not simply held."""


class Facts(Struct, frozen=True):
    """All that is on record about one entity, or about one item of its domain."""

    entity: AnyEntity
    judge: Declared  # The entity whose loop judges this one: itself, or its parent.
    every: float
    lever: Lever
    ledger: Ledger
    plan: PlanRow | None
    last: Recorded | None  # The last pass that had something to decide, while that still stands.
    acts: tuple[Act, ...]
    waiting: tuple[Act, ...]
    tasks: tuple[Task, ...]
    events: tuple[Event, ...] = ()
    protection: Protection | None = None
    parked: Parked | None = None

    @property
    def holds(self) -> tuple[HoldRow, ...]:
        if self.plan is not None and self.plan.state is not PlanState.APPROVED:
            others = self.last.verdict.holds if self.last else ()
            named = {hold.guard for hold in self.plan.holds}
            return (*self.plan.holds, *(hold for hold in others if hold.guard not in named))
        return self.last.verdict.holds if self.last else ()


async def why(
    store: Store, kinds: Kinds, entity: AnyEntity, now: float, item: str = ""
) -> dict[str, AnyJson]:
    """The answer as data; the command line and the console only lay it out."""
    return explained(await facts_of(store, kinds, entity, item), now, item)


def explained(facts: Facts, now: float, item: str = "", observed: str = "") -> dict[str, AnyJson]:
    """Of everything that may be many, the first few and how many there are; `observed` says when it was."""
    entity, limits = facts.entity, facts.last.case.limits if facts.last else Limits()
    return {
        "sentence": _about_item(facts, item) if item else _sentence(entity, now),
        "situation": situation(facts),
        "chain": [*_chain(facts, now, observed), *_item_chain(facts, item, now)],
        "next": _next_commands(facts, item),
        "evidence": {
            "status": to_builtins(entity.status),
            "plan": {"id": facts.plan.id, "state": facts.plan.state} if facts.plan else None,
            "acts": [to_builtins(act) for act in facts.acts],
            "events": [to_builtins(event) for event in facts.events],
            "pass": facts.last.id if facts.last else "",
            "guards": [_guard(guard, facts, limits) for guard in GUARDS],
        },
    }


def situation(facts: Facts) -> str:
    """One word for where it stands: ready, converging, held, failing, contested, waiting, paused."""
    status = facts.entity.status
    if status.state is State.READY:
        return "ready"
    if facts.lever.mode is not Mode.RUN and status.state is State.HELD and facts.plan is None:
        return "paused"
    for hold in facts.holds:
        if hold.guard in SITUATIONS:
            return SITUATIONS[hold.guard]
    if status.state is State.HELD:
        return "held"
    return "failing" if status.state in (State.FAILED, State.DEGRADED) else "converging"


async def facts_of(store: Store, kinds: Kinds, entity: AnyEntity, item: str) -> Facts:
    """Read in a few questions, whatever the size of the domain."""
    judge = await judge_of(store, kinds, entity.declared)
    ledger = await store.get(Ledger, judge.ref) or Ledger(ref=judge.ref)
    passes = await store.read(PASSES_PAGE, ref=judge.ref, after="", limit=1) if ledger.planned else []
    acts = await store.read(ACTS_PAGE, domain=judge.ref, after="", limit=200 if item else ACTS_SHOWN)
    every = kinds[judge.kind].every
    key = item_key(judge.ref, item)
    return Facts(
        entity=entity,
        judge=judge,
        every=every.seconds if every else 0.0,
        lever=strictest((await read_levers(store, kinds, judge)).levers),
        ledger=ledger,
        plan=await store.get(PlanRow, entity.status.plan) if entity.status.plan else None,
        last=passes[0] if passes else None,
        acts=tuple(act for act in acts if item in ("", act.item))[:ACTS_SHOWN],
        waiting=tuple(await store.read(ACTS_OPEN, domain=judge.ref)),
        tasks=tuple(task for task in await store.read(TASKS_OF, target=entity.ref) if task.open),
        events=tuple(await store.read(EVENTS_OF, ref=entity.ref, limit=10)),
        protection=await store.get(Protection, key) if item else None,
        parked=await store.get(Parked, key) if item else None,
    )


async def judge_of(store: Store, kinds: Kinds, declared: Declared) -> Declared:
    """Who judges it: it itself, or the parent whose pass looks after it."""
    if kinds[declared.kind].loop is None and declared.parent is not None:
        return await store.get(Declared, declared.parent) or declared
    return declared


def _sentence(entity: AnyEntity, now: float) -> str:
    status = entity.status
    behind = status.state is not State.READY or status.generation == entity.generation
    wanted = "" if behind else f" (about generation {status.generation}, wanted is {entity.generation})"
    return f"{entity.name} is {status.state} since {span(now - status.since)}: {status.reason}{wanted}"


def _about_item(facts: Facts, item: str) -> str:
    """What is wanted of one item, and what keeps it from that."""
    if facts.protection is not None:
        return f"{item} is protected by {facts.protection.by}: {facts.protection.reason}"
    if facts.parked is not None:
        return f"{item} is parked; it can come back until it is destroyed"
    if any(act.item == item for act in facts.waiting):
        return f"an act on {item} has no answer yet; a look decides it before anything else is done to it"
    actions = facts.last.case.plan.actions if facts.last else ()
    action = next((action for action in actions if action.item == item), None)
    if action is None:
        there = item in facts.ledger.known
        return (
            f"{item} is as declared" if there else f"{item} is neither declared nor there, as far as we saw"
        )
    hold = next((h for h in facts.holds if item in h.items), None)
    wider = {"plan", "deletes"} if action.destructive else {"plan"}
    hold = hold or next((h for h in facts.holds if h.withholds in wider), None)
    return f"{item} is to be {_done(action.verb)}" + (
        f", but {hold.message}" if hold else "; it is its turn soon"
    )


def _done(verb: str) -> str:
    return f"{verb}ed" if not verb.endswith("e") else f"{verb}d"


def _chain(facts: Facts, now: float, observed: str) -> list[str]:
    declared, judge, status = facts.entity.declared, facts.judge, facts.entity.status
    chain = [f"declared: generation {declared.generation}, by {declared.changed_by or 'unknown'}"]
    if declared.deleting:
        chain.append(f"deletion {declared.deleting}")
    if judge.ref != declared.ref:
        chain.append(f"judged together with {judge.kind} {judge.name}")
    chain += [observed] if observed else []
    if status.observed_at and facts.last is not None:
        case = facts.last.case
        ago, seen = now - facts.last.at, f"{case.plan.actual} there, {case.plan.desired} wanted"
        changes = len(case.plan.actions)
        chain.append(f"last decision {span(ago)} ago: {seen}, {changes} change{'s' * (changes != 1)}")
    chain += _lately(facts, now)
    if facts.lever.mode is not Mode.RUN:
        chain.append(f"{facts.lever.mode} by {facts.lever.source}")
    chain += [f"task {task.pipeline}: {task.reason}" for task in facts.tasks]
    waits = [f"open act: {act.verb} {act.item} since {span(now - act.began_at)}" for act in facts.waiting]
    chain += waits[:ACTS_SHOWN]
    chain += [f"and {len(waits) - ACTS_SHOWN} more open acts"] if waits[ACTS_SHOWN:] else []
    chain += [f"guard {hold.guard}: {hold.message}" for hold in facts.holds]
    if facts.plan is not None and facts.plan.state is PlanState.REJECTED:
        # The declaration stands against the decision: one of them has to change.
        chain.append(f"rejected by {facts.plan.decided_by}: nothing is done until what is declared changes")
    if status.failures:
        chain.append(f"failed {times(status.failures)}{_alike(status)}; tried again by itself")
    return chain


def _alike(status: Status) -> str:
    """How many of its failures said the same, where there was more than one."""
    return f", {status.alike or 1} of them alike" if status.failures > 1 else ""


def _lately(facts: Facts, now: float) -> list[str]:
    """What it was before, and what was done to it last."""
    reason = facts.entity.status.reason
    said = (event for event in facts.events if event.type in (STATE_CHANGED, STATUS_CHANGED))
    before = next((event for event in said if event.message != reason), None)
    chain = [f"before, {span(now - before.at)} ago: {before.message}"] if before else []
    if facts.judge.ref != facts.entity.ref:
        return chain
    ended = [act for act in facts.acts if not act.open]
    acts = [f"last act: {act.verb} {act.item}, {act.state} {span(now - act.began_at)} ago" for act in ended]
    return [*chain, *acts]


def _item_chain(facts: Facts, item: str, now: float) -> list[str]:
    chain: list[str] = []
    failing = facts.ledger.failing.get(item)
    if failing is not None:
        alike = " alike" if failing.count > 1 else ""
        chain.append(f"failed {times(failing.count)}{alike}: {failing.said}")
    if facts.parked is not None:
        chain.append(f"parked: destroyed in {span(facts.parked.until - now)} unless declared again")
    return chain


def _guard(guard: Guard, facts: Facts, limits: Limits) -> dict[str, AnyJson]:
    """One row of the table with its numbers, and what it said last."""
    words = {word: getattr(guard, word) for word in ("name", "about", "release")}
    numbers = {limit: getattr(limits, limit) for limit in guard.limits}
    said = next((hold.message for hold in facts.holds if hold.guard == guard.name), "")
    return {**words, "limits": numbers, "said": said}


def _next_commands(facts: Facts, item: str) -> list[str]:
    plan, title = facts.plan, f"{facts.judge.kind} {facts.judge.name}"
    commands: list[str] = []
    if plan is not None and plan.state is PlanState.HELD:
        commands += [f"setpoint {verb} {plan.id}" for verb in ("describe plan", "reject")]
        commands.append(f"setpoint approve {plan.id} --reason WHY")
    elif plan is not None and plan.state is PlanState.REJECTED:
        commands.append(f"setpoint describe plan {plan.id}")
    elif facts.lever.mode is not Mode.RUN and facts.lever.release:
        commands.append(facts.lever.release)
    _, named, command = facts.entity.status.reason.rpartition(COMMAND)
    commands += [f"{COMMAND.strip(': ')} {command}"] if named else []
    stuck = next(iter(sorted({*facts.ledger.failing, *facts.ledger.contested})), "")
    guarded = item if facts.protection is not None else _first_of("protection", facts)
    if stuck and item in ("", stuck):
        commands.append(f"setpoint release {title} {stuck}")
    if guarded and item in ("", guarded):
        commands.append(f"setpoint release {title} {guarded} --protection")
    return commands


def _first_of(guard: str, facts: Facts) -> str:
    """The first item that this guard withholds."""
    return next((item for hold in facts.holds if hold.guard == guard for item in hold.items), "")
