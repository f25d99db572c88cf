"""A pass on record: the case as it was judged. It can be judged again, as it was or under other limits."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.entity import Ref
from setpoint.engine.guards import Verdict, judge
from setpoint.engine.limits import DAY, Limits
from setpoint.engine.plan import Plan
from setpoint.engine.rows import Act, Approval

KEPT_SECONDS = 30 * DAY
KEPT_BYTES = 1_000_000_000


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What one pass with actions or holds went by, and what was decided."""

    id: str
    ref: Ref
    kind: str
    name: str
    organization: str
    at: float
    case: Case
    agreed: tuple[Approval, ...] = ()
    verdict: Verdict


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """How much is on record."""

    passes: int = 0
    bytes: int = 0


def recordable(case: Case) -> Case:
    """The case with all that a judgement reads, and nothing that it does not."""
    plan = case.plan
    bare = Plan(
        actions=plan.actions,
        state=plan.state,
        reason=plan.reason,
        desired=plan.desired,
        actual=plan.actual,
        weight=plan.weight,
        groups=plan.groups,
        unhealthy=plan.unhealthy,
        needs=plan.needs,
        waits_for=plan.waits_for,
        vanished=plan.vanished,
        watched=plan.watched,
        known=plan.known,
        adopts=plan.adopts,
    )
    touched = frozenset(action.item for action in plan.actions)
    return replace(case, plan=bare, recent=tuple(_bare(act, touched) for act in case.recent))


def _bare(act: Act, touched: Iterable[str]) -> Act:
    """Values matter only where the same item is to be changed again."""
    return act if act.item in touched else replace(act, before=None, after=None)


def replayed(recorded: Recorded) -> Verdict:
    """What the guards say today about what they saw then."""
    return judge(recorded.case, recorded.agreed)


def rehearsed(recorded: Recorded, limits: Limits) -> Verdict:
    """What they would have said under these limits. A new footing is not held against the rehearsal."""
    return judge(recorded.case.under(limits), recorded.agreed)
