"""One pass over one domain: observe, plan, guard, enact, tell."""

from collections.abc import Mapping

from msgspec import Struct, structs
from msgspec.structs import replace

from setpoint.engine import consent
from setpoint.engine.acting import Acting, Enacted
from setpoint.engine.agenda import NEVER
from setpoint.engine.case import Case, Look, named
from setpoint.engine.company import Company, account_of
from setpoint.engine.conclude import Passed, SlowLane
from setpoint.engine.doubts.damage import paid_items, unusual
from setpoint.engine.doubts.effort import in_trouble, own_tries
from setpoint.engine.doubts.truth import unsettled_items
from setpoint.engine.draft import unprotect_command
from setpoint.engine.entity import AnyEntity, Declared, Ref, State
from setpoint.engine.errors import FAILURES, Conflict, Rejected
from setpoint.engine.fleet import Fleet, Purse
from setpoint.engine.gather import Gathered, Gatherer, Standards
from setpoint.engine.guards import Verdict, judge
from setpoint.engine.intent import Intent
from setpoint.engine.journal import Journal, Mandate
from setpoint.engine.kind import Kinds
from setpoint.engine.ledger import Ledger, Taken
from setpoint.engine.loop import Loop
from setpoint.engine.outcome import Door
from setpoint.engine.plan import Absence, Action, Plan, Verb, sizes
from setpoint.engine.rows import Act, ActState, Approval, PlanRow, PlanState
from setpoint.engine.runtime import Meter, Runtime
from setpoint.engine.store import (
    ACTS_OPEN,
    ACTS_SINCE,
    DECLARED_REFERRING,
    PLANS_OF,
    TASKS_OF,
    WAKES_OF,
    Store,
)
from setpoint.engine.tenure import Tenure

TURN_SECONDS = 2.0
WAVES_AT_MOST = 32
SECOND_LOOKS = 10  # A listing that was wrong this often in one pass is not believed about the rest.


class Judged(Struct, frozen=True):
    """A plan with everything that was weighed, before anything is done."""

    gathered: Gathered
    verdict: Verdict

    @property
    def plan(self) -> Plan:
        return self.gathered.case.plan


class Reconciler(Struct, frozen=True):
    """The engine's one verb, with all it needs."""

    store: Store
    kinds: Kinds
    loops: Mapping[str, Loop]
    journal: Journal
    door: Door
    runtime: Runtime
    meter: Meter
    standards: Standards
    company: Company
    tenure: Tenure

    async def reconcile(self, ref: Ref) -> float | None:
        """One turn: a pass, and the waves that follow from it while each ends well and it does not take long.

        Returns in how many seconds to look again: None for the usual interval, or NEVER.
        """
        until = self.runtime.now() + TURN_SECONDS
        for _ in range(WAVES_AT_MOST):
            again = await self.run_pass(ref)
            # A turn that takes long is given back: others of the same replica wait for it.
            if again != 0.0 or self.runtime.now() >= until:
                return again
        return 0.0

    async def run_pass(self, ref: Ref) -> float | None:
        """Observe, judge, act as far as one wave goes, tell. Zero: there is more to be done now."""
        began = self.runtime.now()
        wakes = await self.store.read(WAKES_OF, ref=ref)  # before intent: one that comes later stays
        entity = await Intent(self.store, self.kinds).entity(ref)
        if entity is None:
            await self.door.forget(ref, wakes)
            return NEVER
        if not self.tenure.holds(account_of(self.kinds, entity.declared)):
            return NEVER  # It belongs to another replica now, which has it on its own agenda.
        kind, loop = entity.declared.kind, self.loops[entity.declared.kind]
        try:
            judged = await self.judged(entity, loop)
            self.meter.diff(kind, ref, sizes(judged.plan.actions))
            enacted = await self._enact_paid(entity, loop, judged)
        except FAILURES as error:
            self.meter.passed(kind, "failed", self.runtime.now() - began, entity.declared.scope)
            return await self.door.failed(entity, error, wakes, self._slow_lane(entity, error))
        self._fared(entity, judged.gathered.case, enacted.acts)
        passed = Passed(
            entity=entity,
            case=judged.gathered.case,
            agreed=judged.gathered.agreed,
            verdict=judged.verdict,
            acts=enacted.acts,
            stopped=enacted.stopped,
            overtaken=enacted.overtaken,
            on_record=await self._on_record(ref),
            now=self.runtime.now(),
        )
        ended = "acted" if enacted.acts else "quiet"
        self.meter.passed(kind, ended, self.runtime.now() - began, entity.declared.scope)
        return await self.door.passed(passed, wakes)

    async def judged(
        self, entity: AnyEntity, loop: Loop, *, dry: bool = False, proposed: tuple[Declared, ...] = ()
    ) -> Judged:
        """Observe, plan and weigh; nothing is changed. A dry run ends here, and settles nothing either.

        `proposed` is what a dry run asks about: an account's mode counts as it would be.
        """
        recent = await self._recent(entity, loop, dry=dry)
        patience = self.kinds[entity.declared.kind].observe_seconds
        seen = await self.runtime.within(patience, loop.observe(entity))
        if not dry:
            self.meter.observed(entity.ref, self.runtime.now())
        plan = loop.plan(entity, seen, self.runtime.now())
        plan = await self._staying(entity, loop, plan, recent)
        if any(task.open for task in await self.store.read(TASKS_OF, target=entity.ref)):
            # While a task works on an entity its loop only looks.
            plan = structs.replace(plan, actions=(), starts=())
        gatherer = Gatherer(self.store, self.kinds, self.runtime, self.standards, self.company, proposed)
        return await self._weigh(entity, loop, await gatherer.gathered(entity, loop, plan, recent))

    async def _weigh(self, entity: AnyEntity, loop: Loop, gathered: Gathered) -> Judged:
        """The guards, then a second look at whatever would act on an absence, until all of that was seen."""
        looks: dict[str, Look] = {}
        case, agreed = gathered.case, gathered.agreed
        made = (a.item for a in case.recent if a.verb is Verb.CREATE and a.state is ActState.DONE)
        known = frozenset((*case.ledger.known, *made))
        for _ in range(SECOND_LOOKS):
            case = structs.replace(case, looks=tuple(looks.values()))
            verdict = judge(case, agreed)
            resting = [a.item for a in verdict.allowed if _needs_second_look(a, known)]
            if looks.keys() >= set(resting):
                return Judged(replace(gathered, case=case), verdict)
            for item in resting:
                if item not in looks:
                    looks[item] = Look.of(item, await loop.look(entity, item))
        # Not believed any more about anything: nothing of this plan is done.
        case = structs.replace(case, looks=tuple(Look(a.item, "unknown") for a in case.plan.actions))
        return Judged(replace(gathered, case=case), judge(case, agreed))

    async def _enact_paid(self, entity: AnyEntity, loop: Loop, judged: Judged) -> Enacted:
        """What is destroyed without an approval is paid for whole before the first of it begins."""
        case = judged.gathered.case
        if unusual(case) and case.ledger.planned < len(case.plan.actions):
            await self.door.unusual(entity, f"{len(case.plan.actions)} changes at once: far more than usual")
        agreed, paid = _chosen(judged), paid_items(case, explicit=True)
        charged = (a for a in judged.verdict.allowed if a.destructive and a.item not in paid)
        unpaid = [a for a in charged if consent.spent_by(agreed, a) is None]
        if not unpaid:
            return await self._enact(entity, loop, judged)
        fleet, purses = Fleet(self.store, self.kinds), judged.gathered.purses
        taken = Taken(domain=entity.ref, count=len(unpaid), at=self.runtime.now())
        if not await fleet.take(purses, taken):
            return Enacted(overtaken=True)  # Somebody took it between the reading and the taking.
        await self._count_budgets(purses)
        enacted = await self._enact(entity, loop, judged)
        items = frozenset(action.item for action in unpaid)
        used = sum(1 for act in enacted.acts if act.item in items)
        if used < len(unpaid):
            await fleet.give_back(purses, taken, used)
        return enacted

    async def _count_budgets(self, purses: tuple[Purse, ...]) -> None:
        rooms = await Fleet(self.store, self.kinds).rooms(purses, self.runtime.now())
        for purse, room in zip(purses, rooms, strict=True):
            self.meter.budget(purse.key, room.left / room.limit)

    async def _enact(self, entity: AnyEntity, loop: Loop, judged: Judged) -> Enacted:
        agreed = _chosen(judged)
        # One at a time under an approval: two that spend it side by side would each forget the other's part.
        at_once = 1 if agreed else self.kinds[entity.declared.kind].at_once
        acting = Acting(
            self.journal,
            self.runtime,
            loop,
            Mandate(entity, judged.gathered.levers, agreed),
            judged.plan.needs,
            lambda acts: in_trouble(judged.gathered.case, acts),
        )
        return await acting.enact(judged.verdict.allowed, at_once)

    async def _recent(self, entity: AnyEntity, loop: Loop, *, dry: bool) -> tuple[Act, ...]:
        """This domain's acts as far back as guards look and all open ones, settled as far as a look can."""
        since = self.runtime.now() - self.standards.window(entity.declared)
        late = await self.store.read(ACTS_SINCE, domain=entity.ref, since=since)
        older = [a for a in await self.store.read(ACTS_OPEN, domain=entity.ref) if a.began_at < since]
        acts = (*older, *late)
        return acts if dry else await self.journal.settle(entity, loop, acts)

    def _slow_lane(self, entity: AnyEntity, error: Exception) -> SlowLane:
        account, limits = account_of(self.kinds, entity.declared), self.standards.limits(entity.declared)
        refused = isinstance(error, Rejected | Conflict)
        alone = self.company.failed(account, entity.ref, self.runtime.now(), refused=refused)
        return SlowLane(limits.slow_failures, limits.slow_seconds, alone)

    def _fared(self, entity: AnyEntity, case: Case, acts: tuple[Act, ...]) -> None:
        account = account_of(self.kinds, entity.declared)
        if not self.kinds[entity.declared.kind].asks_account:
            return
        if account != entity.ref:
            self.company.note_tries(account, entity.ref, own_tries(case.after(acts)))
        if all(act.state is ActState.DONE for act in acts):
            self.company.did_well(account, entity.ref, self.runtime.now(), acted=bool(acts))

    async def _staying(self, entity: AnyEntity, loop: Loop, plan: Plan, recent: tuple[Act, ...]) -> Plan:
        """Nothing is forgotten while an act on it may land, a direct look finds it, or something names it;
        nor while it is protected, as what destroys nothing is asked about by no guard.
        """
        # A vendor may say that it failed and have done it all the same.
        ended = (ActState.DONE, ActState.FAILED)
        waiting = frozenset(unsettled_items(recent, self.runtime.now(), loop.settles_in, ended))
        there = await self._still_there(entity, loop, plan, recent) - waiting
        waits = waiting | there
        members = tuple(structs.replace(m, gone=m.gone and m.item not in waits) for m in plan.members)
        if members != plan.members or any(act.open for act in recent):
            # What has no answer yet is looked at until it has one.
            plan = structs.replace(plan, again_in=min(1.0, plan.again_in or 1.0))
        users = await self.store.read(DECLARED_REFERRING, ref=entity.ref) if plan.gone else ()
        if not plan.gone or not (waits or users or entity.declared.protected):
            return structs.replace(plan, members=members)
        reason = f"a direct look still finds {named(there)}" if there else "an act on it has no answer yet"
        reason = f"used by {users[0].kind} {users[0].name}" if users else reason
        state = State.PENDING
        if entity.declared.protected:
            state, reason = State.HELD, f"protected; declare it, or run {unprotect_command(entity.declared)}"
        plan = structs.replace(plan, gone=False, state=state, reason=f"going, but {reason}", again_in=1.0)
        # What is known of it is needed until it is gone.
        return structs.replace(plan, members=members, facts=entity.facts, known=plan.known | there)

    async def _still_there(
        self, entity: AnyEntity, loop: Loop, plan: Plan, recent: tuple[Act, ...]
    ) -> frozenset[str]:
        """What is to be forgotten, was not taken away by us, and is only missing from a listing."""
        leaving = {member.item for member in plan.members if member.gone}
        if plan.gone:
            ledger = await self.store.get(Ledger, entity.ref)
            leaving.update(ledger.known if ledger else (), (act.item for act in recent))
        last = {act.item: act for act in sorted(recent, key=lambda act: act.began_at)}
        taken = {a.item for a in last.values() if a.verb is Verb.DELETE and a.state is ActState.DONE}
        doubted = sorted(leaving - plan.known - taken)
        # A listing that hides a whole domain is found out by a few of its items.
        some = doubted[:SECOND_LOOKS] if plan.gone else doubted
        return frozenset([item for item in some if await self._is_there(entity, loop, item, recent)])

    async def _is_there(self, entity: AnyEntity, loop: Loop, item: str, recent: tuple[Act, ...]) -> bool:
        """By a direct look at what is declared, and at what each act on it was about."""
        views = [entity, *[await self.journal.as_begun(entity, act) for act in recent if act.item == item]]
        seen = [await loop.look(view, item) for n, view in enumerate(views) if view not in views[:n]]
        return any(not isinstance(each, Absence) for each in seen)

    async def _on_record(self, ref: Ref) -> PlanRow | None:
        undecided = (PlanState.HELD, PlanState.APPROVED, PlanState.REJECTED)
        return next((p for p in await self.store.read(PLANS_OF, ref=ref) if p.state in undecided), None)


def _chosen(judged: Judged) -> tuple[Approval, ...]:
    """The one approval that this verdict rests on."""
    return tuple(a for a in judged.gathered.agreed if a.id == judged.verdict.approval)


def _needs_second_look(action: Action, known: frozenset[str]) -> bool:
    """Whether this rests on an absence: of a thing that was seen or made, or of a declaration."""
    return action.verb is Verb.DELETE or (action.verb is Verb.CREATE and action.item in known)
