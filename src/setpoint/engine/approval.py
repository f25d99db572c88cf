"""What an approval is and what it still covers: exactly the items that were shown, as they were shown."""

from collections.abc import Iterable

from msgspec.structs import replace

from setpoint.engine.errors import Conflict
from setpoint.engine.guards import WAIVABLE
from setpoint.engine.plan import Action
from setpoint.engine.rows import Approval, Lane, PlanRow, PlanState, Wake, evidence, told
from setpoint.engine.store import Change, Expect, Put


def granted(plan: PlanRow, *, identity: str, actor: str, reason: str, times: tuple[float, float]) -> Approval:
    """A yes to this plan's destructive items; `times` is now and when it runs out."""
    if plan.state is not PlanState.HELD:
        raise Conflict(f"plan {plan.id} is {plan.state}, only a held plan can be approved")
    return Approval(
        id=identity,
        ref=plan.ref,
        plan=plan.id,
        digest=plan.digest,
        items={action.item: action.line for action in plan.actions if action.destructive},
        waives=tuple(hold.guard for hold in plan.holds if hold.guard in WAIVABLE),
        approver=actor,
        reason=reason,
        created_at=times[0],
        expires_at=times[1],
    )


def approve(plan: PlanRow, approval: Approval) -> Change:
    """The approval, its evidence and the wake that makes it count, in one commit."""
    decided = replace(plan, state=PlanState.APPROVED, changed_at=approval.created_at)
    decided = replace(decided, decided_by=approval.approver, note=approval.reason)
    said = f"{len(approval.items)} destructive changes approved by {approval.approver}: {approval.reason}"
    return _decision(plan, decided, said, approval.id, Put(approval))


def reject(plan: PlanRow, *, identity: str, actor: str, reason: str, now: float) -> Change:
    """The plan is refused; the declaration stands, so the object stays held until one of them changes."""
    if plan.state is not PlanState.HELD:
        raise Conflict(f"plan {plan.id} is {plan.state}, only a held plan can be rejected")
    decided = replace(plan, state=PlanState.REJECTED, decided_by=actor, note=reason, changed_at=now)
    return _decision(plan, decided, f"rejected by {actor}: {reason}", identity)


def live(approvals: Iterable[Approval], now: float) -> tuple[Approval, ...]:
    """Those that have not run out and have something left to spend."""
    return tuple(a for a in approvals if a.expires_at > now and len(a.spent) < len(a.items))


def covered_lines(approvals: Iterable[Approval]) -> frozenset[str]:
    """Actions that a person said yes to and that were not done yet."""
    return frozenset(line for a in approvals for item, line in a.items.items() if item not in a.spent)


def waived(approvals: Iterable[Approval]) -> frozenset[str]:
    return frozenset(guard for a in approvals for guard in a.waives)


def covering(approvals: Iterable[Approval], action: Action) -> Approval | None:
    """The approval that this action spends, if it needs one."""
    for approval in approvals:
        if approval.items.get(action.item) == action.line and action.item not in approval.spent:
            return approval
    return None


def spend(approval: Approval, item: str) -> Approval:
    return replace(approval, spent=(*approval.spent, item))


def _decision(before: PlanRow, after: PlanRow, said: str, identity: str, *more: Put) -> Change:
    action, at = f"plan.{after.state}", after.changed_at
    wake = Wake(id=identity, ref=before.ref, reason=action, lane=Lane.INTERACTIVE)
    proof = evidence(
        before, after.decided_by, action, at, plan=before.id, digest=before.digest, reason=after.note
    )
    return Change(
        expects=(Expect(PlanRow, before.id, "state", before.state),),
        writes=(Put(after), *more, Put(wake)),
        events=(told(before, action, said, at),),
        audit=(proof,),
    )
