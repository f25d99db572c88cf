"""Every outcome leaves by this one door: status, plan on record, ledger, wakes and events in one commit."""

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine import conclude
from setpoint.engine.company import account_of
from setpoint.engine.conclude import Passed, SlowLane
from setpoint.engine.declare import DELETED
from setpoint.engine.entity import AnyEntity, Declared, Ref, State, Status, hash_of
from setpoint.engine.errors import Failure, Transient
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kinds
from setpoint.engine.ledger import Ledger
from setpoint.engine.owners import Owners
from setpoint.engine.plan import Start, digest
from setpoint.engine.record import Recorded, recordable
from setpoint.engine.remember import next_ledger
from setpoint.engine.rows import Act, ActState, Event, PlanRow, PlanState, Task, Wake, told
from setpoint.engine.runtime import Meter, Runtime
from setpoint.engine.stir import stirred
from setpoint.engine.store import (
    DECLARED_CHILDREN,
    NOTHING,
    STATUSES,
    TASKS_OF,
    Change,
    Drop,
    Expect,
    Put,
    Store,
    listed,
)
from setpoint.engine.tenure import Tenure

STATE_CHANGED = "entity.state_changed"
STATUS_CHANGED = "entity.status_changed"
UNUSUAL = "plan.unusual"
CONTRADICTED = "observation.contradictory"


class Door(Struct, frozen=True):
    """The scheduler's pen."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    meter: Meter
    tenure: Tenure
    reached: Callable[[str], None] = lambda _: None

    async def passed(self, passed: Passed, wakes: Iterable[Wake]) -> float | None:
        """A pass that saw, judged and perhaps acted. Returns when to look again, if not at the interval."""
        records = conclude.records_after(passed, self.runtime.new_id())
        waiting = next((r.id for r in records if r.state in (PlanState.HELD, PlanState.REJECTED)), "")
        status = conclude.status_after(passed, waiting)
        self._count(passed, status, records)
        changed = [record for record in records if record != passed.on_record]
        events = [self._event(passed.entity.declared, h.type, h.message) for h in passed.plan.happenings]
        events += [self._event(passed.entity.declared, f"plan.{r.state}", status.reason) for r in changed]
        writes: list[Put | Drop] = [Put(record) for record in changed]
        writes += [Put(approval) for approval in conclude.died(passed)]
        ledger = next_ledger(passed.case, passed.verdict, passed.acts)
        recorded = self._recorded(passed)
        if recorded is not None:
            decided = _decided(recorded)
            events += self._contradiction(passed) if decided != ledger.recorded else []
            writes += [Put(recorded)] if passed.acts or decided != ledger.recorded else []
            ledger = replace(ledger, recorded=decided)
        if ledger != passed.ledger and not passed.plan.gone:
            writes.append(Put(ledger))
        starts = await self._starts(passed)
        members, about_members = await self._members(passed, status)
        acted = any(act.state is ActState.DONE for act in passed.acts)
        await self._commit(
            passed.entity,
            None if passed.plan.gone else status,
            wakes,
            Change(_still_leaving(passed), (*writes, *starts, *members), (*events, *about_members)),
            extra=("act.done",) if acted else (),
        )
        return conclude.again_in(passed, status, self.runtime.chance())

    async def unusual(self, entity: AnyEntity, message: str) -> None:
        """A person is told before anything of it is done."""
        self.meter.unusual(entity.declared.kind)
        await self.store.commit(Change(events=(self._event(entity.declared, UNUSUAL, message),)))

    def _recorded(self, passed: Passed) -> Recorded | None:
        """The pass as a value, where there was something to decide."""
        if not passed.plan.actions and not passed.verdict.holds:
            return None
        declared = passed.entity.declared
        return Recorded(
            id=self.runtime.new_id(),
            ref=declared.ref,
            kind=declared.kind,
            name=declared.name,
            organization=declared.tenant,
            at=passed.now,
            case=recordable(passed.case),
            agreed=passed.agreed,
            verdict=passed.verdict,
        )

    def _contradiction(self, passed: Passed) -> list[Event]:
        """Told once per contradiction, not at every look."""
        found = next((hold for hold in passed.verdict.holds if hold.guard == "second_look"), None)
        if found is None or found.message == passed.entity.status.reason:
            return []
        return [self._event(passed.entity.declared, CONTRADICTED, found.message)]

    def _count(self, passed: Passed, status: Status, records: tuple[PlanRow, ...]) -> None:
        """What this pass says about how well we do."""
        declared, before, now = passed.entity.declared, passed.entity.status, passed.now
        for hold in passed.verdict.holds:
            self.meter.held(declared.kind, hold.guard)
        for record in records:
            ended = record.state in (PlanState.STALE, PlanState.DONE) and record != passed.on_record
            for hold in record.holds if ended else ():
                self.meter.hold_ended(declared.kind, hold.guard, false=record.state is PlanState.DONE)
        if passed.plan.gone:
            self.meter.gone(declared.kind, declared.ref)
            return
        arrived = before.state is not State.READY or before.generation != status.generation
        if status.state is State.READY and arrived and declared.changed_at >= before.ready_at:
            self.meter.converged(declared.kind, now - declared.changed_at)
        elif status.state is State.READY and passed.ledger.differs_since:
            self.meter.put_back(declared.kind, now - passed.ledger.differs_since)
        drift = passed.ledger.differs_since or None
        self.meter.standing(declared.kind, declared.ref, status.state, status.since, drift)

    async def failed(self, entity: AnyEntity, error: Failure, wakes: Iterable[Wake], slow: SlowLane) -> float:
        """A pass that could not see."""
        status = conclude.status_after_error(entity, error, self.runtime.now())
        self.meter.standing(entity.declared.kind, entity.ref, status.state, status.since, None)
        try:
            unseen = await self._unseen(entity, status)
        except Transient:  # Its parts cannot be read either: what is said of itself must not wait for them.
            unseen = NOTHING
        await self._commit(entity, status, wakes, unseen)
        if conclude.slowed(status, slow):
            return slow.seconds
        wait = error.retry_after if isinstance(error, Transient) else None
        return wait or conclude.back_off(status.failures, self.runtime.chance())

    async def forget(self, ref: Ref, wakes: Iterable[Wake]) -> None:
        """Nothing is declared under this ref any more; its wakes have been heard."""
        dropped = tuple(Drop(Wake, wake.id) for wake in wakes)
        if dropped:
            await self.store.commit(Change(writes=dropped))

    async def _commit(
        self,
        entity: AnyEntity,
        status: Status | None,
        wakes: Iterable[Wake],
        change: Change,
        extra: tuple[str, ...] = (),
    ) -> None:
        """Quiet passes write nothing; the others write everything at once, while it is ours."""
        declared = entity.declared
        writes = [*(Drop(Wake, wake.id) for wake in wakes), *change.writes]
        events = list(change.events)
        if status is None:
            writes += (await Owners(self.store, self.kinds).leaving(declared)).writes
            writes += [Drop(Declared, declared.ref), Drop(Status, declared.ref), Drop(Ledger, declared.ref)]
            events.append(self._event(declared, DELETED, "gone, and confirmed gone"))
        elif not status.says_the_same_as(entity.status):
            moved = status.state is not entity.status.state
            writes.append(Put(status))
            events.append(self._event(declared, STATE_CHANGED if moved else STATUS_CHANGED, status.reason))
        happened = {event.type for event in events if event.ref == declared.ref} | set(extra)
        if happened:
            new = await stirred(self.store, self.kinds, declared, happened, self.runtime.new_id)
            writes += [Put(wake) for wake in new if wake.ref != declared.ref]
        if writes:
            fence = self.tenure.fence(account_of(self.kinds, declared))
            self.reached("outcome.before_commit")
            await self.store.commit(Change((fence, *change.expects), tuple(writes), tuple(events)))
            self.reached("outcome.after_commit")

    async def _starts(self, passed: Passed) -> list[Put]:
        """Tasks asked for and not open yet; the target's slot refuses a second one."""
        asked: list[Put] = []
        for start in passed.plan.starts:
            known = await self.store.read(TASKS_OF, target=start.target)
            if not any(task.open and task.key == start.key for task in known):
                task = self._task(passed.entity, start)
                wake = Wake(id=self.runtime.new_id(), ref=Ref(f"task/{task.id}"), reason="asked")
                asked += [Put(task), Put(wake)]
        return asked

    def _task(self, entity: AnyEntity, start: Start) -> Task:
        now = self.runtime.now()
        return Task(
            id=self.runtime.new_id(),
            pipeline=start.pipeline,
            target=start.target,
            key=start.key,
            organization=entity.scope.organization,
            asked_by=f"{entity.declared.kind} {entity.name}",
            saved=start.input,
            created_at=now,
            changed_at=now,
        )

    async def _members(self, passed: Passed, whole: Status) -> tuple[list[Put | Drop], list[Event]]:
        """Declared parts without a loop of their own: their status is this pass's to write."""
        members = passed.plan.members
        refs = listed(member.ref for member in members)
        known = {s.ref: s for s in await self.store.read(STATUSES, refs=refs)} if members else {}
        touched = {action.item for action in passed.plan.actions}
        writes: list[Put | Drop] = []
        events: list[Event] = []
        for member in members:
            if member.gone:
                writes += [Drop(Declared, member.ref), Drop(Status, member.ref)]
                events.append(self._member_event(passed, member.ref, DELETED, member.reason))
                continue
            before = known.get(member.ref) or Status(ref=member.ref, since=passed.now)
            # What waits for a whole that is held or failed waits for the same reason.
            waits = member.item in touched or member.state is State.PENDING
            spoken_for = whole if waits else None
            after = conclude.member_status(member, before, passed, spoken_for)
            if not after.says_the_same_as(before):
                writes.append(Put(after))
                events.append(self._member_event(passed, member.ref, STATE_CHANGED, after.reason))
        return writes, events

    async def _unseen(self, whole: AnyEntity, status: Status) -> Change:
        """Parts without a loop of their own were not seen either: told once, not at every try."""
        rows = await self.store.read(DECLARED_CHILDREN, parent=whole.ref)
        parts = [row for row in rows if self.kinds[row.kind].loop is None]
        known = [part.status for part in await Intent(self.store, self.kinds).joined(parts)]
        blame = f"{whole.declared.kind} {whole.name}: "
        new = [s for s in known if s.state is not status.state or not s.reason.startswith(blame)]
        reason = conclude.readable(blame + status.reason)
        new = [replace(s, state=status.state, reason=reason, since=status.since) for s in new]
        events = [replace(self._event(whole.declared, STATE_CHANGED, s.reason), ref=s.ref) for s in new]
        return Change(writes=tuple(map(Put, new)), events=tuple(events))

    def _event(self, declared: Declared, what: str, message: str) -> Event:
        return told(declared, what, message, self.runtime.now())

    def _member_event(self, passed: Passed, ref: Ref, what: str, message: str) -> Event:
        return replace(self._event(passed.entity.declared, what, message), ref=ref)


def _decided(recorded: Recorded) -> str:
    """Names the decision: an equal one on an equal plan is the same pass over again."""
    held = [(hold.guard, hold.items) for hold in recorded.verdict.holds]
    return hash_of([digest(recorded.case.plan.actions), held, digest(recorded.verdict.allowed)])


def _still_leaving(passed: Passed) -> tuple[Expect, ...]:
    """What is declared again while it leaves is not forgotten. Nor what has an act that is open again: so it
    is in a database that took over before it heard how the act ended.
    """
    leaving = {member.ref: member.generation for member in passed.plan.members if member.gone}
    leaving |= {passed.entity.ref: passed.entity.generation} if passed.plan.gone else {}
    acts = {act.id: act.state for act in (*passed.case.recent, *passed.acts)} if passed.plan.gone else {}
    as_read = (Expect(Declared, ref, "generation", generation) for ref, generation in leaving.items())
    return (*as_read, *(Expect(Act, key, "state", state) for key, state in acts.items()))
