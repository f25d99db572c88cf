"""What an approval covers: one approval, all of what it is needed for, exactly as it was shown."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from setpoint.engine.plan import Action, Plan
from setpoint.engine.rows import Approval, HoldRow

LEFT_OUT: Final = "left_out"  # The guard of what an approval leaves out: no approval waives it for that part.


def live(approvals: Iterable[Approval], now: float) -> tuple[Approval, ...]:
    """Those that have not run out or died, and have something left to spend."""
    return tuple(a for a in approvals if a.expires_at > now and not a.died and len(a.spent) < len(a.items))


def concerned(plan: Plan, holds: Iterable[HoldRow]) -> tuple[Action, ...]:
    """What a person is asked about: everything destructive nobody asked for by name, and what holds name."""
    named = frozenset(item for hold in holds for item in hold.items)
    return tuple(a for a in plan.actions if (a.destructive and not a.explicit) or a.item in named)


def only(approval: Approval, items: frozenset[str]) -> Approval:
    """A yes to these alone; the rest of what was shown is left out, and stays held until somebody decides."""
    said = approval.items
    return replace(
        approval,
        items={item: line for item, line in said.items() if item in items},
        left={item: line for item, line in said.items() if item not in items},
    )


def left_out(approvals: Iterable[Approval], plan: Plan) -> frozenset[str]:
    """What a person left out of a yes, unless a later yes names it or something else is to be done to it."""
    left: dict[str, str] = {}
    for approval in sorted(approvals, key=lambda each: each.created_at):
        left = {item: line for item, line in left.items() if item not in approval.items} | approval.left
    return frozenset(a.item for a in plan.actions if left.get(a.item) == a.line)


def covering(approvals: Iterable[Approval], plan: Plan, holds: tuple[HoldRow, ...]) -> Approval | None:
    """The approval that alone says yes to all of this but what it left out; two halves are not one yes."""
    reasons = frozenset(hold.guard for hold in holds)
    asked = concerned(plan, holds)
    for approval in approvals:
        wanted = [a for a in asked if approval.left.get(a.item) != a.line]
        waived = {*approval.waives, LEFT_OUT} if approval.left else {*approval.waives}
        says = bool(wanted or not approval.left) and all(_unspent(approval, action) for action in wanted)
        if says and reasons <= waived:
            return approval
    return None


def remaining(approval: Approval, plan: Plan) -> tuple[Action, ...]:
    """What of the plan this yes names and has not been spent on."""
    return tuple(action for action in plan.actions if _unspent(approval, action))


def outgrown(approval: Approval, plan: Plan) -> bool:
    """Whether something is to be destroyed that was not shown: then it no longer says yes to anything."""
    shown = approval.items | approval.left
    return any(shown.get(a.item) != a.line for a in plan.actions if a.destructive and not a.explicit)


def spent_by(approvals: Iterable[Approval], action: Action) -> Approval | None:
    """The approval that doing this uses up, if it needs one."""
    return next((approval for approval in approvals if _unspent(approval, action)), None)


def spend(approval: Approval, item: str) -> Approval:
    return replace(approval, spent=(*approval.spent, item))


def _unspent(approval: Approval, action: Action) -> bool:
    return approval.items.get(action.item) == action.line and action.item not in approval.spent
