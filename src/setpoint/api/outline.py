"""A plan as people read it: its causes and counts, the first of its changes, and where the rest is read.

A plan may be about a hundred thousand items: no answer has more of them than one can take in."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from setpoint.api.groups import grouped
from setpoint.api.paging import fitting
from setpoint.api.render import moment
from setpoint.engine.consent import concerned
from setpoint.engine.plan import Plan
from setpoint.engine.rows import HoldRow, PlanRow

AnyJson = Any
FIRST: Final = 100
FIRST_BYTES: Final = 60_000
NAMED: Final = 20
"""So many of the items that a guard holds are named."""
LONGEST_NOTE: Final = 20_000
LARGE: Final = 1_000


async def outlined(plan: PlanRow, *, causes_only: bool = False) -> dict[str, AnyJson]:
    """One plan, without keeping others waiting: to compare a hundred thousand changes takes a second."""
    shown = grouped_plan if causes_only else shown_plan
    return await asyncio.to_thread(shown, plan) if len(plan.actions) > LARGE else shown(plan)


def shown_plan(plan: PlanRow) -> dict[str, AnyJson]:
    """By its causes, with the first changes; `rest` is where all are read, empty where these are all."""
    first, asked = fitting(map(msgspec.to_builtins, plan.actions[:FIRST]), FIRST_BYTES), asked_about(plan)
    at = f"/v1/organizations/{plan.organization}/plans/{plan.id}:changes"
    return {
        **_grouped(plan, asked),
        "holds": [shown_hold(hold) for hold in plan.holds],
        "actions": first,
        "asked": asked[:FIRST],
        "agreed": plan.agreed[:FIRST],
        "rest": at if len(first) < len(plan.actions) else "",
    }


def grouped_plan(plan: PlanRow) -> dict[str, AnyJson]:
    """By its causes alone: as long as there are causes, however many changes there are."""
    return _grouped(plan, asked_about(plan))


def short_plan(plan: PlanRow) -> dict[str, AnyJson]:
    """A plan in a list: how many changes of which sort, how heavy, and what holds it."""
    return _short(plan, asked_about(plan))


def _grouped(plan: PlanRow, asked: Sequence[str]) -> dict[str, AnyJson]:
    return {**_short(plan, asked), "groups": msgspec.to_builtins(grouped(plan.actions, asked))}


def _short(plan: PlanRow, asked: Sequence[str]) -> dict[str, AnyJson]:
    raw: dict[str, AnyJson] = msgspec.to_builtins(
        replace(plan, actions=(), holds=(), proposals=(), agreed=())
    )
    for field in ("actions", "proposals", "agreed"):
        raw.pop(field)
    raw["metadata"] = {key: value for key, value in raw.pop("scope").items() if value}
    raw["created_at"], raw["changed_at"] = moment(plan.created_at), moment(plan.changed_at)
    raw["note"] = plan.note if len(plan.note) <= LONGEST_NOTE else f"{plan.note[:LONGEST_NOTE]}…"
    raw["changes"] = dict(Counter(action.verb for action in plan.actions))
    raw["weight"] = sum(action.weight for action in plan.actions if action.destructive)
    raw["asked_count"], raw["agreed_count"] = len(asked), len(plan.agreed)
    raw["holds"] = [{"guard": hold.guard, "message": hold.message} for hold in plan.holds]
    return raw


def shown_hold(hold: HoldRow) -> dict[str, AnyJson]:
    """A guard's sentence, and the first few of the items that it withholds."""
    raw: dict[str, AnyJson] = msgspec.to_builtins(replace(hold, items=hold.items[:NAMED]))
    return {**raw, "item_count": len(hold.items)}


def asked_about(plan: PlanRow) -> tuple[str, ...]:
    """The items that an approval says yes to."""
    return tuple(action.item for action in concerned(Plan(actions=plan.actions), plan.holds))
