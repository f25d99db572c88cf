"""One pass over one domain: observe, plan, guard, enact, tell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from msgspec import structs

from setpoint.engine import approval as approvals
from setpoint.engine.agenda import NEVER
from setpoint.engine.conclude import Passed
from setpoint.engine.doubts import HOUR, Case, Limits, unsettled_items
from setpoint.engine.entity import AnyEntity, AnyJson, Ref, State
from setpoint.engine.errors import FAILURES, Conflict, Denied
from setpoint.engine.guards import Verdict, judge
from setpoint.engine.intent import Intent
from setpoint.engine.journal import Journal
from setpoint.engine.kind import Kinds
from setpoint.engine.levers import read_levers
from setpoint.engine.loop import Loop
from setpoint.engine.outcome import Door
from setpoint.engine.plan import Absence, Action, Plan, Verb, sizes
from setpoint.engine.rows import Act, ActState, Approval, Ledger, PlanRow, PlanState
from setpoint.engine.runtime import Meter, Runtime
from setpoint.engine.store import (
    ACTS_OPEN,
    ACTS_SINCE,
    APPROVALS_OF,
    DECLARED_REFERRING,
    PLANS_OF,
    TASKS_OF,
    WAKES_OF,
    Store,
)

OBSERVE_SECONDS = 60.0
SECOND_LOOKS = 10  # A listing that was wrong this often in one pass is not believed about the rest.


@dataclass(frozen=True, slots=True)
class Judged:
    """A plan with everything that was weighed, before anything is done."""

    plan: Plan
    verdict: Verdict
    ledger: Ledger
    agreed: tuple[Approval, ...]


@dataclass(frozen=True, slots=True)
class Reconciler:
    """The engine's one verb, with all it needs."""

    store: Store
    kinds: Kinds
    loops: Mapping[str, Loop]
    journal: Journal
    door: Door
    runtime: Runtime
    meter: Meter
    limits: Limits

    async def reconcile(self, ref: Ref) -> float | None:
        """One pass. Returns in how many seconds to look again: None for the usual interval, or NEVER."""
        began = self.runtime.now()
        wakes = await self.store.read(WAKES_OF, ref=ref)  # before intent: one that comes later stays
        entity = await Intent(self.store, self.kinds).entity(ref)
        if entity is None:
            await self.door.forget(ref, wakes)
            return NEVER
        kind, loop = entity.declared.kind, self.loops[entity.declared.kind]
        try:
            judged = await self.judged(entity, loop)
            acts, stopped, overtaken = await self._enact(entity, loop, judged)
        except FAILURES as error:
            self.meter.passed(kind, "failed", self.runtime.now() - began)
            return await self.door.failed(entity, error, wakes)
        passed = Passed(
            entity=entity,
            plan=judged.plan,
            verdict=judged.verdict,
            acts=acts,
            stopped=stopped,
            overtaken=overtaken,
            ledger=judged.ledger,
            on_record=await self._on_record(ref),
            now=self.runtime.now(),
        )
        self.meter.passed(kind, "acted" if acts else "quiet", self.runtime.now() - began)
        return await self.door.passed(passed, wakes)

    async def judged(self, entity: AnyEntity, loop: Loop) -> Judged:
        """Observe, plan and weigh; nothing is changed. A dry run ends here."""
        recent = await self._recent(entity, loop)
        seen = await self.runtime.within(OBSERVE_SECONDS, loop.observe(entity))
        plan = loop.plan(entity, seen, self.runtime.now())
        plan = await self._staying(entity, plan, recent, loop.settles_in)
        if any(task.open for task in await self.store.read(TASKS_OF, target=entity.ref)):
            # While a task works on an entity its loop only looks.
            plan = structs.replace(plan, actions=(), starts=())
        self.meter.diff(entity.declared.kind, sizes(plan.actions))
        ledger = await self.store.get(Ledger, entity.ref) or Ledger(ref=entity.ref)
        agreed = approvals.live(
            await self.store.read(APPROVALS_OF, ref=entity.ref) if plan.actions else (), self.runtime.now()
        )
        levers = (await read_levers(self.store, self.kinds, entity.declared)).levers if plan.actions else ()
        case = Case(
            plan=plan,
            ledger=ledger,
            limits=self.limits,
            levers=levers,
            recent=recent,
            deleting=entity.deleting == "asked",
            settles_in=loop.settles_in,
            now=self.runtime.now(),
        )
        return Judged(plan, await self._weigh(entity, loop, case, agreed), ledger, agreed)

    async def _weigh(
        self, entity: AnyEntity, loop: Loop, case: Case, agreed: tuple[Approval, ...]
    ) -> Verdict:
        """The guards, then a second look at whatever would act on an absence, until all of that was seen."""
        waived, lines = approvals.waived(agreed), approvals.covered_lines(agreed)
        looks: dict[str, AnyJson | Absence] = {}
        for _ in range(SECOND_LOOKS):
            verdict = judge(replace(case, looks=looks), waived, lines)
            resting = [a.item for a in verdict.allowed if _needs_second_look(a, case.ledger)]
            if looks.keys() >= set(resting):
                return verdict
            looks |= {item: await loop.look(entity, item) for item in resting if item not in looks}
        return replace(judge(replace(case, looks=looks), waived, lines), allowed=())

    async def _enact(
        self, entity: AnyEntity, loop: Loop, judged: Judged
    ) -> tuple[tuple[Act, ...], str, bool]:
        """Each act through the journal, as many at once as the kind allows, until one may not begin."""
        acts: list[Act] = []
        agreed = judged.agreed
        for batch in _batches(judged.verdict.allowed, self.kinds[entity.declared.kind].at_once):
            ended = await self.runtime.each(
                [self.journal.enact(entity, loop, action, agreed) for action in batch]
            )
            acts += [act for act in ended if isinstance(act, Act)]
            refusal = next((error for error in ended if isinstance(error, BaseException)), None)
            if refusal is not None and not isinstance(refusal, Denied | Conflict):
                raise refusal
            if refusal is not None:
                return (
                    tuple(acts),
                    str(refusal) if isinstance(refusal, Denied) else "",
                    isinstance(refusal, Conflict),
                )
            spent = {act.approval: act.item for act in acts[-len(batch) :]}
            agreed = tuple(approvals.spend(a, spent[a.id]) if a.id in spent else a for a in agreed)
            if any(act.state is not ActState.DONE for act in acts):
                break  # What comes after an act, deletes above all, waits until it is known how it ended.
        return tuple(acts), "", False

    async def _recent(self, entity: AnyEntity, loop: Loop) -> tuple[Act, ...]:
        """This domain's acts of the last hour and all open ones, settled as far as a look can."""
        since = self.runtime.now() - HOUR
        hour = await self.store.read(ACTS_SINCE, domain=entity.ref, since=since)
        older = [a for a in await self.store.read(ACTS_OPEN, domain=entity.ref) if a.began_at < since]
        return await self.journal.settle(entity, loop, (*older, *hour))

    async def _staying(
        self, entity: AnyEntity, plan: Plan, recent: tuple[Act, ...], settles_in: float
    ) -> Plan:
        """Nothing is forgotten while an act on it may still land, or while something else still names it."""
        waiting = frozenset(unsettled_items(recent, self.runtime.now(), settles_in))
        members = tuple(structs.replace(m, gone=m.gone and m.item not in waiting) for m in plan.members)
        if members != plan.members or any(act.open for act in recent):
            # What has no answer yet is looked at until it has one.
            plan = structs.replace(plan, again_in=min(1.0, plan.again_in or 1.0))
        users = await self.store.read(DECLARED_REFERRING, ref=entity.ref) if plan.gone else ()
        if not plan.gone or not (waiting or users):
            return structs.replace(plan, members=members)
        reason = f"used by {users[0].kind} {users[0].name}" if users else "an act on it has no answer yet"
        kept = structs.replace(plan, members=members, gone=False, state=State.PENDING, again_in=1.0)
        return structs.replace(kept, reason=f"going, but {reason}")

    async def _on_record(self, ref: Ref) -> PlanRow | None:
        undecided = (PlanState.HELD, PlanState.APPROVED, PlanState.REJECTED)
        return next((p for p in await self.store.read(PLANS_OF, ref=ref) if p.state in undecided), None)


def _batches(actions: tuple[Action, ...], at_once: int) -> Iterator[tuple[Action, ...]]:
    """What is built may go side by side; what is destroyed goes one by one, each spending its approval."""
    building = tuple(a for a in actions if not a.destructive)
    yield from (building[i : i + at_once] for i in range(0, len(building), at_once))
    yield from ((a,) for a in actions if a.destructive)


def _needs_second_look(action: Action, ledger: Ledger) -> bool:
    """Whether this action rests on an absence: of the thing, or of its declaration."""
    return action.verb is Verb.DELETE or (action.verb is Verb.CREATE and action.item in ledger.known)
