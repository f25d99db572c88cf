"""The changes of a plan, held or on record, page by page; and what a newer plan does otherwise."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.groups import members
from setpoint.api.outcomes import course_of
from setpoint.api.outline import asked_about
from setpoint.api.paging import fitting, page_of, revision_of
from setpoint.api.passes import Passes
from setpoint.api.plans import Plans
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.engine.plan import Action

AnyJson = Any
RowT = TypeVar("RowT")


class Changes(Struct, frozen=True):
    """A plan may be about thousands: nobody is sent more of them than a page."""

    services: Services

    async def of_plan(self, request: Request, subject: Subject) -> Response:
        """GET the changes of a plan: all, of a `group`, of an `outcome`, or otherwise `than` an older one."""
        plans = Plans(self.services)
        plan = await plans.plan(request, subject)
        if older := request.query_params.get("than", ""):
            before = await plans.called(older, plan.organization, subject)
            return page(request, list(otherwise(before.actions, plan.actions)), lambda each: each)
        asked, agreed, shown = frozenset(asked_about(plan)), frozenset(plan.agreed), _view(request)
        outcomes = (await course_of(self.services.store, plan)).outcomes()
        wanted = await _wanted(request, plan.actions)
        only = request.query_params.get("outcome", "").split(",")
        return page(
            request,
            [action for action in wanted if outcomes.get(action.item, "") in only] if any(only) else wanted,
            lambda action: {
                **shown(action),
                "asked": action.item in asked,
                "agreed": action.item in agreed,
                "outcome": outcomes.get(action.item, ""),
            },
        )

    async def of_pass(self, request: Request, subject: Subject) -> Response:
        """GET the changes that a recorded pass planned: all, or those of a `group`."""
        row = await Passes(self.services).recorded(request, subject)
        return page(request, await _wanted(request, row.case.plan.actions), _view(request))


def page(request: Request, found: Sequence[RowT], shown: Callable[[RowT], AnyJson]) -> Response:
    """Part of a list that never changes: a token is how many came before. Large ones come fewer at a time."""
    asked = page_of(request)
    start = revision_of(asked.after, "page_token")
    items = fitting(map(shown, found[start : start + asked.size]))
    end = start + len(items)
    return answer({"items": items, "next_page_token": str(end) if len(found) > end else ""})


def otherwise(before: Sequence[Action], after: Sequence[Action]) -> Iterator[dict[str, AnyJson]]:
    """What was not shown before, what is done otherwise, and what is no longer done."""
    old, now = ({action.item: action for action in actions} for actions in (before, after))
    for item, action in now.items():
        if item not in old:
            yield {"how": "new", "verb": action.verb, "item": item}
        elif old[item].line != action.line:
            yield {"how": "otherwise", "verb": action.verb, "item": item}
    for item, action in old.items():
        if item not in now:
            yield {"how": "no longer", "verb": action.verb, "item": item}


def _view(request: Request) -> Callable[[Action], dict[str, AnyJson]]:
    """Whole, or with `view=short` by name."""
    if request.query_params.get("view") == "short":
        return lambda action: {"verb": action.verb, "item": action.item}
    return lambda action: dict(msgspec.to_builtins(action))


async def _wanted(request: Request, actions: Sequence[Action]) -> Sequence[Action]:
    group = request.query_params.get("group", "")
    # In a thread: a hundred thousand changes take a second to compare.
    return await asyncio.to_thread(members, actions, group) if group else actions
