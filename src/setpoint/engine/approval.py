"""A person's yes or no to a held plan, as one commit; and which person may say it."""

from msgspec.structs import replace

from setpoint.engine.consent import concerned
from setpoint.engine.errors import Conflict, Denied
from setpoint.engine.plan import Plan
from setpoint.engine.rows import Approval, Lane, PlanRow, PlanState, Wake, evidence, told
from setpoint.engine.store import Change, Expect, Put


def granted(plan: PlanRow, *, identity: str, actor: str, reason: str, times: tuple[float, float]) -> Approval:
    """A yes to what this plan asks about; `times` is now and when it runs out."""
    if plan.state is not PlanState.HELD:
        raise Conflict(f"plan {plan.id} is {plan.state}, only a held plan can be approved")
    return Approval(
        id=identity,
        ref=plan.ref,
        plan=plan.id,
        digest=plan.digest,
        items={a.item: a.line for a in concerned(Plan(actions=plan.actions), plan.holds)},
        waives=tuple(hold.guard for hold in plan.holds),
        approver=actor,
        reason=reason,
        created_at=times[0],
        expires_at=times[1],
    )


def check_second_person(plan: PlanRow, who: str, others: frozenset[str], *, protected: bool = False) -> None:
    """Denied to who asked for a part of it while others could say yes; a lone operator decides alone.

    Not about what is protected: two people agree to that, or somebody takes the protection off first.
    """
    if others:
        named = ", ".join(sorted(others)[:3])
        raise Denied(f"{who} asked for this, so somebody else approves it: {named}")
    if protected:
        cure = "give somebody else a role that may approve it, or take the protection off first"
        raise Denied(f"{plan.kind} {plan.name} is protected and {who} asked for this alone: {cure}")


def approve(plan: PlanRow, approval: Approval, *, alone: bool = False) -> Change:
    """The approval, its evidence and the wake that makes it count, in one commit; `alone`: by who asked."""
    decided = replace(plan, state=PlanState.APPROVED, changed_at=approval.created_at)
    agreed = tuple(sorted(approval.items))
    decided = replace(decided, decided_by=approval.approver, note=approval.reason, agreed=agreed)
    said = f"{len(approval.items)} changes approved by {approval.approver}: {approval.reason}"
    also = {"alone": True} if alone else {}
    return _decision(plan, decided, said, approval.id, Put(approval), **also)


def reject(plan: PlanRow, *, identity: str, actor: str, reason: str, now: float) -> Change:
    """The plan is refused; the declaration stands, so the object stays held until one of them changes."""
    if plan.state is not PlanState.HELD:
        raise Conflict(f"plan {plan.id} is {plan.state}, only a held plan can be rejected")
    decided = replace(plan, state=PlanState.REJECTED, decided_by=actor, note=reason, changed_at=now)
    return _decision(plan, decided, f"rejected by {actor}: {reason}", identity)


def _decision(before: PlanRow, after: PlanRow, said: str, identity: str, *more: Put, **also: bool) -> Change:
    action, at = f"plan.{after.state}", after.changed_at
    wake = Wake(id=identity, ref=before.ref, reason=action, lane=Lane.INTERACTIVE, tenant=before.tenant)
    about = {"plan": before.id, "digest": before.digest, "reason": after.note, **also}
    proof = evidence(before, after.decided_by, action, at, **about)
    return Change(
        expects=(Expect(PlanRow, before.id, "state", before.state),),
        writes=(Put(after), *more, Put(wake)),
        events=(told(before, action, said, at),),
        audit=(proof,),
    )
