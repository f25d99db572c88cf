"""From what a pass found to what people read: pure decisions about status, plan on record and next look."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine import consent
from setpoint.engine.case import Case, named
from setpoint.engine.doubts.effort import lack_answers, retried_at
from setpoint.engine.entity import AnyEntity, State, Status
from setpoint.engine.errors import Conflict, Denied, Failure, Missing, Rejected, Transient
from setpoint.engine.guards import WAIVABLE, Verdict
from setpoint.engine.ledger import Ledger, alike
from setpoint.engine.plan import Action, Member, Plan, digest, sizes
from setpoint.engine.rows import Act, ActState, Approval, HoldRow, PlanRow, PlanState
from setpoint.words import times

RETRY_CEILING = 60.0
REASON_AT_MOST = 300
OVERTAKEN_SECONDS = 0.1
DEFERRED_SECONDS = 1.0
WAVE_SECONDS = 2.0
"""How soon to look whether the last wave is well by now."""
WAITS = {
    "unsettled": 1.0,
    "second_look": 1.0,
    "waiting": 5.0,
    "observe_only": 5.0,
    "no_deletes": 5.0,
    "probation": 5.0,
    "failure_brake": 30.0,
}
"""Guards that let go by themselves, and how soon to look whether they did."""
HOLDING = WAIVABLE | {"no_deletes", "protection", "contested"}
"""Guards that end in HELD: they do not let go by themselves."""
RETRYING = frozenset({"back_off", "slow_lane"})
"""Guards of keys that failed for reasons of their own."""
UNSEEN = 0  # The generation of a status that no pass has written yet.


class Passed(Struct, frozen=True):
    """Everything a pass that got through found out."""

    entity: AnyEntity
    case: Case
    agreed: tuple[Approval, ...]
    verdict: Verdict
    acts: tuple[Act, ...]
    stopped: str  # Why acting ended early, if it did: a switch.
    overtaken: bool  # Intent, a switch or the epoch moved meanwhile: the next pass makes a plan of its own.
    on_record: PlanRow | None
    now: float

    @property
    def plan(self) -> Plan:
        return self.case.plan

    @property
    def ledger(self) -> Ledger:
        return self.case.ledger


class SlowLane(Struct, frozen=True):
    """When a look that keeps failing is put aside: after how many, for how long, and how others fare."""

    failures: int
    seconds: float
    alone: bool  # Something else of its account did well since it failed before.


def status_after(passed: Passed, plan_id: str) -> Status:
    """The status a pass leaves behind."""
    state, said = _verdict_in_words(passed)
    reason = readable(said)
    failed = state is State.FAILED or lack_answers(passed.acts) or _repeats(passed)
    before = passed.entity.status
    status = Status(
        ref=passed.entity.ref,
        state=state,
        reason=reason,
        since=before.since,
        generation=passed.entity.generation,
        observed_at=passed.now,
        conditions=passed.plan.conditions,
        facts=passed.plan.facts,
        failures=before.failures + 1 if failed else 0,
        alike=_alike(before, reason) if failed else 0,
        ready_at=before.ready_at,
        plan=plan_id,
    )
    if state is before.state:
        return status
    ready_at = passed.now if state is State.READY else before.ready_at
    return replace(status, since=passed.now, ready_at=ready_at)


def status_after_error(entity: AnyEntity, error: Failure, now: float) -> Status:
    """A pass that could not see: say so, keep what was known, act on nothing."""
    before = entity.status
    state, said = _failure_in_words(error, seen_before=before.generation != UNSEEN)
    reason = readable(said)
    since = before.since if state is before.state else now
    return replace(
        before,
        state=state,
        reason=reason,
        since=since,
        failures=before.failures + 1,
        alike=_alike(before, reason),
    )


def _alike(before: Status, reason: str) -> int:
    return before.alike + 1 if alike(before.reason) == alike(reason) else 1


def records_after(passed: Passed, new_id: str) -> tuple[PlanRow, ...]:
    """The plan on record as this pass leaves it, and a new one where a person is needed anew."""
    # What an approval leaves out is asked about when the rest of it is done.
    asking = () if passed.verdict.approval else passed.verdict.holds
    needs_person = tuple(hold for hold in asking if hold.guard in WAIVABLE)
    found = digest(passed.plan.actions)
    known = passed.on_record
    if known is None:
        return (_held_plan(passed, needs_person, found, new_id),) if needs_person else ()
    if needs_person and known.digest == found and known.state is not PlanState.APPROVED:
        return (replace(known, holds=needs_person),)
    if needs_person:
        open_still = not known.agreed or any(a.item in known.agreed for a in passed.plan.actions)
        ended = PlanState.STALE if open_still else PlanState.DONE
        over = replace(known, state=ended, changed_at=passed.now)
        return over, _held_plan(passed, needs_person, found, new_id)
    if known.state is not PlanState.APPROVED:
        return (replace(known, state=PlanState.STALE, changed_at=passed.now),)
    under_way = any(action.destructive or action.item in known.agreed for action in passed.plan.actions)
    return (known if under_way else replace(known, state=PlanState.DONE, changed_at=passed.now),)


def died(passed: Passed) -> tuple[Approval, ...]:
    """Approvals that end here, because something is to be destroyed that they did not name."""
    why = "something is to be destroyed that it did not name"
    return tuple(replace(a, died=why) for a in passed.agreed if consent.outgrown(a, passed.plan))


def _held_plan(passed: Passed, holds: tuple[HoldRow, ...], found: str, new_id: str) -> PlanRow:
    entity = passed.entity
    return PlanRow(
        id=new_id,
        ref=entity.ref,
        kind=entity.declared.kind,
        scope=entity.scope,
        name=entity.name,
        state=PlanState.HELD,
        digest=found,
        actions=passed.plan.actions,
        holds=holds,
        generation=entity.generation,
        desired=passed.plan.desired,
        actual=passed.plan.actual,
        created_at=passed.now,
        changed_at=passed.now,
        author=entity.declared.changed_by,
        people=entity.declared.people,
    )


def again_in(passed: Passed, status: Status, chance: float) -> float | None:
    """Seconds until the next look, where something other than the interval decides."""
    if any(act.deferred for act in passed.acts):
        return DEFERRED_SECONDS
    if passed.stopped or lack_answers(passed.acts) or _repeats(passed):
        return back_off(max(1, status.failures), chance)
    if passed.overtaken:
        return OVERTAKEN_SECONDS
    if any(act.state is not ActState.FAILED or passed.verdict.later for act in passed.acts):
        return 0.0  # What failed for a reason of its own waits by itself; the others go on.
    soon = WAITS | {"probation": passed.case.limits.probation_gap, "back_off": _retry_in(passed)}
    waits = [soon[hold.guard] for hold in passed.verdict.holds if hold.guard in soon]
    if any(act.fault for act in passed.acts):
        waits.append(WAITS["unsettled"])
    if passed.verdict.later and not waits:
        waits = [WAVE_SECONDS]
    return min((*waits, passed.plan.again_in or max(waits))) if waits else passed.plan.again_in


def _retry_in(passed: Passed) -> float:
    """Seconds until the first of the keys that failed is tried again."""
    times = [at for at in retried_at(passed.case).values() if at > passed.now]
    return max(0.1, min(times, default=passed.now) - passed.now)


def _repeats(passed: Passed) -> bool:
    """What the last wave did had to be done again: the world does not keep it, so there is no hurry."""
    done = (act for act in passed.acts if not act.deferred)
    return any(act.item in passed.ledger.rolling for act in done)


def back_off(failures: int, chance: float, ceiling: float = RETRY_CEILING) -> float:
    """Full jitter: somewhere between a moment and twice as long each time."""
    return 0.1 + chance * min(ceiling, 0.5 * 2.0 ** min(failures, 12))


def slowed(status: Status, slow: SlowLane) -> bool:
    """Whether a look that keeps failing alike is tried now and then only: others of its account do well."""
    return status.alike >= slow.failures and slow.alone


def readable(said: str) -> str:
    """A reason as people read it: never empty, and never longer than a paragraph."""
    said = said.strip(" :") or "no reason was given"
    return said if len(said) <= REASON_AT_MOST else f"{said[: REASON_AT_MOST - 1]}…"


def sentence(actions: Iterable[Action]) -> str:
    """`3 to create, 1 to delete`."""
    counted = ((verb, number) for verb, number in sizes(actions).items() if number)
    return ", ".join(f"{number} to {verb}" for verb, number in counted)


def member_status(member: Member, before: Status, passed: Passed, whole: Status | None) -> Status:
    """A part's status: its own word, unless it failed, is withheld, or waits with the `whole`."""
    state, reason = _member_in_words(member, passed, whole)
    return replace(
        before,
        state=state,
        reason=readable(reason),
        since=before.since if state is before.state else passed.now,
        generation=member.generation,
        observed_at=passed.now,
    )


def _member_in_words(member: Member, passed: Passed, whole: Status | None) -> tuple[State, str]:
    failed = failed_act(act for act in passed.acts if act.item == member.item)
    if failed is not None:
        return State.FAILED, f"{failed.verb}: {failed.detail}"
    # A guard that withholds this very item knows better why nothing happens to it.
    hold = next((hold for hold in passed.verdict.holds if member.item in hold.items), None)
    if hold is not None and hold.guard in RETRYING:
        failing = passed.ledger.failing[member.item]
        return State.FAILED, f"failed {times(failing.tries)}: {failing.said}"
    if hold is not None and hold in held_for_a_person(passed.verdict):
        return State.HELD, hold.message
    if whole is not None and _waits_with_the_whole(member, passed, whole):
        return whole.state, f"{passed.entity.declared.kind} {passed.entity.name}: {whole.reason}"
    return member.state, hold.message if hold is not None else member.reason


def _waits_with_the_whole(member: Member, passed: Passed, whole: Status) -> bool:
    """Whether a part waits for what the whole waits for: a switch, a person, or an account in trouble."""
    if whole.state is State.FAILED:
        return _common_trouble(passed) is not None
    if whole.state is not State.HELD:
        return False
    action = next((a for a in passed.plan.actions if a.item == member.item), None)
    if action is None or passed.stopped:
        return True
    sorts = {"plan", "deletes"} if action.destructive else {"plan"}
    return any(hold.withholds in sorts for hold in passed.verdict.holds)


def _verdict_in_words(passed: Passed) -> tuple[State, str]:
    plan, holds = passed.plan, passed.verdict.holds
    if (trouble := _common_trouble(passed)) is not None:
        return State.FAILED, trouble
    if (outside := _held_back(passed) or _own_failures(passed)) is not None:
        return outside
    if plan.state in (State.READY, State.PENDING) and (waiting := _approved_in_part(passed)):
        return State.PENDING, waiting
    unanswered = [act.item for act in passed.case.recent if act.open]
    under_way = passed.acts or passed.overtaken or passed.verdict.later or unanswered
    if plan.state is State.READY and (holds or under_way):
        left = f"converging: {sentence(plan.actions)}"
        left = left if plan.actions else f"an act on {named(unanswered)} has no answer yet; a look decides it"
        return State.PENDING, holds[0].message if holds else left
    # What is degraded says so itself: a hold besides does not explain it.
    return plan.state, holds[0].message if holds and plan.state is not State.DEGRADED else _after_acts(passed)


def _after_acts(passed: Passed) -> str:
    """The plan's reason, about what is left of the plan where this pass did some of it."""
    plan, done = passed.plan, {act.item for act in passed.acts if act.state is ActState.DONE}
    planned = sentence(plan.actions)
    if not done or not planned or not plan.reason.startswith(planned):
        return plan.reason
    left = sentence(a for a in plan.actions if a.item not in done) or "all of it is done; a look confirms it"
    return left + plan.reason.removeprefix(planned)


def _held_back(passed: Passed) -> tuple[State, str] | None:
    """What waits for a person or a switch."""
    if passed.stopped:
        return State.HELD, f"{passed.stopped}; waiting: {sentence(passed.plan.actions)}"
    persons = held_for_a_person(passed.verdict)
    holds = (h for h in passed.verdict.holds if h in persons or h.withholds == "plan")
    standing = next(holds, None)
    return None if standing is None else (State.HELD, _held_in_words(passed, standing))


def _approved_in_part(passed: Passed) -> str:
    """What a yes to some of it has yet to do, and what it left out; empty where there is no such yes."""
    approval = next((a for a in passed.agreed if a.id == passed.verdict.approval), None)
    left = [action.item for action in passed.plan.actions if action.item in passed.case.left]
    if approval is None or not left:
        return ""
    waits = [hold.message for hold in passed.verdict.holds if hold.guard != consent.LEFT_OUT]
    agreed = sentence(consent.remaining(approval, passed.plan))
    return "; ".join(
        (f"approved: {agreed}", *waits[:1], f"left out, and asked about when that is done: {named(left)}")
    )


def _common_trouble(passed: Passed) -> str | None:
    """What is wrong with everything here: too many keys of the account failed."""
    return next((h.message for h in passed.verdict.holds if h.guard == "failure_brake"), None)


def _own_failures(passed: Passed) -> tuple[State, str] | None:
    """Keys that fail for reasons of their own: the rest of the domain goes on, and is told apart."""
    now = {act.item: f"{act.verb} {act.item}: {act.detail}" for act in passed.acts if _has_failed(act)}
    before = {
        item: f"{item} failed {times(failing.tries)}: {failing.said}"
        for hold in passed.verdict.holds
        if hold.guard in RETRYING
        for item in hold.items
        if (failing := passed.ledger.failing.get(item)) is not None
    }
    found = before | now
    if not found:
        return None
    first, total = found[min(found)], max(passed.plan.desired, passed.plan.actual)
    if total <= len(found):
        return State.FAILED, first
    return State.DEGRADED, f"{len(found)} of {total} cannot be changed: {first}"


def held_for_a_person(verdict: Verdict) -> tuple[HoldRow, ...]:
    """The holds that do not let go by themselves.

    What a yes left out cannot be decided about before the rest is done: until then it waits like the rest.
    """
    later = {consent.LEFT_OUT} if verdict.approval else frozenset()
    return tuple(hold for hold in verdict.holds if hold.guard in HOLDING and hold.guard not in later)


def failed_act(acts: Iterable[Act]) -> Act | None:
    """The first act that the provider refused."""
    return next(filter(_has_failed, acts), None)


def _has_failed(act: Act) -> bool:
    return act.state is ActState.FAILED and not act.deferred


def _held_in_words(passed: Passed, hold: HoldRow) -> str:
    known = passed.on_record
    rejected = known is not None and known.state is PlanState.REJECTED
    if known is not None and rejected and known.digest == digest(passed.plan.actions):
        return f"{hold.message}; rejected by {known.decided_by}: {known.note}"
    return f"{hold.message} ({sentence(passed.plan.actions)})"


def _failure_in_words(error: Failure, *, seen_before: bool) -> tuple[State, str]:
    match error:
        case Transient() | Denied():
            return (State.DEGRADED if seen_before else State.PENDING), str(error)
        case Missing() | Conflict():
            return State.PENDING, str(error)
        case Rejected():
            return State.FAILED, str(error)
