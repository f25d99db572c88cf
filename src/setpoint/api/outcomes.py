"""What became of a plan: how far each change is, which were left out of a yes, and where those went."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final

from msgspec import Struct

from setpoint.api.groups import by_group
from setpoint.api.outline import asked_about
from setpoint.api.render import moment
from setpoint.engine.rows import Act, Approval, PlanRow, PlanState
from setpoint.engine.store import ACTS_SINCE, APPROVALS_OF, PLANS_OF, Store

AnyJson = Any
MOST_ATTEMPTS: Final = 10
LEFT_OUT: Final = "left_out"
NOT_DONE: Final = "not_done"
OVER: Final = (PlanState.REJECTED, PlanState.STALE, PlanState.DONE)


class Course(Struct, frozen=True):
    """One plan after somebody decided: the yes, if one was said, and what was tried since."""

    plan: PlanRow
    approval: Approval | None = None
    acts: tuple[Act, ...] = ()

    @property
    def decided_at(self) -> float | None:
        """When somebody said yes."""
        return self.approval.created_at if self.approval else None

    def moving(self) -> list[dict[str, AnyJson]]:
        """Each approved change with its attempts, as they began; what has not begun comes last."""
        return progress(self.plan, self.acts) if self.approval else []

    def outcomes(self) -> dict[str, str]:
        """What became of each item; empty while nothing is decided."""
        plan = self.plan
        if self.approval is None:
            return dict.fromkeys((a.item for a in plan.actions), NOT_DONE) if plan.state in OVER else {}
        states = {each["item"]: str(each["state"]) for each in self.moving()}
        left = frozenset(asked_about(plan)) - frozenset(plan.agreed)
        waits = NOT_DONE if plan.state in OVER else "waiting"
        found = {}
        for action in plan.actions:
            state = states.get(action.item, LEFT_OUT if action.item in left else "waiting")
            found[action.item] = waits if state == "waiting" else state
        return found


async def course_of(store: Store, plan: PlanRow) -> Course:
    """What is on record about a plan since it was decided."""
    said = await store.read(APPROVALS_OF, ref=plan.ref)
    approval = next((each for each in said if each.plan == plan.id), None)
    if approval is None:
        return Course(plan)
    acts = await store.read(ACTS_SINCE, domain=plan.ref, since=approval.created_at)
    return Course(plan, approval, tuple(acts))


async def successor_of(store: Store, plan: PlanRow, left: frozenset[str]) -> str:
    """The first later plan that asks about something that was left out; empty where there is none."""
    later = [each for each in await store.read(PLANS_OF, ref=plan.ref) if each.id > plan.id]
    asks = (each.id for each in reversed(later) if any(a.item in left for a in each.actions))
    return next(asks, "")


def counted(plan: PlanRow, outcomes: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """How many changes of each group came to which outcome."""
    return {
        key: dict(Counter(outcomes[action.item] for action in actions))
        for key, actions in by_group(plan.actions).items()
        if outcomes
    }


def progress(plan: PlanRow, acts: Iterable[Act]) -> list[dict[str, AnyJson]]:
    """Each change of the plan with its attempts, as they began; what has not begun comes last."""
    until = inf if plan.state is PlanState.APPROVED else plan.changed_at
    tried: dict[str, list[Act]] = {}
    for act in acts:
        if act.began_at <= until:
            tried.setdefault(act.item, []).append(act)
    begun = {item: place for place, item in enumerate(tried)}
    agreed = frozenset(plan.agreed)
    moving = [action for action in plan.actions if action.item in agreed or action.item in tried]
    return [
        {
            "item": action.item,
            "verb": action.verb,
            "state": _state(tried.get(action.item, ())),
            "attempts": [_attempt(act) for act in tried.get(action.item, ())[-MOST_ATTEMPTS:]],
        }
        for action in sorted(moving, key=lambda action: begun.get(action.item, len(begun)))
    ]


def _state(acts: Sequence[Act]) -> str:
    if not acts:
        return "waiting"
    return "later" if acts[-1].deferred else str(acts[-1].state)


def _attempt(act: Act) -> dict[str, AnyJson]:
    return {
        "id": act.id,
        "state": act.state,
        "began_at": moment(act.began_at),
        "ended_at": moment(act.ended_at) if act.ended_at else None,
        "detail": act.detail,
    }
