"""Recorded passes: what was decided by what was known then, and what the guards say to it today."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.groups import grouped
from setpoint.api.outline import shown_hold
from setpoint.api.paging import Page, page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import Declared
from setpoint.engine.explain import judge_of
from setpoint.engine.guards import GUARDS, Verdict
from setpoint.engine.kind import Kinds
from setpoint.engine.plan import digest
from setpoint.engine.record import Recorded
from setpoint.engine.store import PASSES_IN, PASSES_PAGE
from setpoint.nearest import nearest

AnyJson = Any
FEW: Final = 20
AT_ONCE: Final = 50
"""Rows read at a time: a pass over a large domain is large itself."""


class Wanted(Struct, frozen=True):
    """Which passes are asked for; what is empty asks for any."""

    organization: str
    ref: str = ""
    kind: str = ""
    name: str = ""
    guard: str = ""

    def takes(self, row: Recorded) -> bool:
        return (
            row.organization == self.organization
            and self.kind in ("", row.kind)
            and self.name in ("", row.name)
            and (not self.guard or any(hold.guard == self.guard for hold in row.verdict.holds))
        )


class Passes(Struct, frozen=True):
    """Decisions of one organization, as they were made."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET the passes that had something to decide, in short, newest first."""
        page, wanted = asked(request, self.services.kinds)
        found: list[dict[str, AnyJson]] = []
        async with aclosing(self.newest(wanted, page.after, subject)) as rows:
            async for row in rows:
                found.append(shown_pass(row))
                if len(found) > page.size:
                    break
        more = found[page.size - 1]["id"] if len(found) > page.size else ""
        return answer({"items": found[: page.size], "next_page_token": more})

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET one pass by the causes of its changes, with what it was judged by; see also `:changes`."""
        row = await self.recorded(request, subject)
        # In a thread: a hundred thousand changes take a second to compare.
        return answer(await asyncio.to_thread(brief_pass, row))

    async def newest(self, wanted: Wanted, after: str, subject: Subject) -> AsyncGenerator[Recorded, None]:
        """Those that are wanted, from there on, as they are asked for."""
        ref = await self._domain(wanted.ref)
        more = True
        while more:
            rows = await self._page(wanted.organization, ref, after)
            sees = await self._sees(subject, wanted.organization, rows)
            for row in rows:
                if wanted.takes(row) and sees(row.ref):
                    yield row
            more = len(rows) == AT_ONCE
            after = rows[-1].id if more else ""

    async def _sees(
        self, subject: Subject, organization: str, rows: Iterable[Recorded]
    ) -> Callable[[str], bool]:
        sight = Sight(self.services, subject)
        return await sight.about("organization.pass", organization, (row.ref for row in rows))

    async def _page(self, organization: str, ref: str, after: str) -> list[Recorded]:
        store = self.services.store
        if ref:
            return await store.read(PASSES_PAGE, ref=ref, after=after, limit=AT_ONCE)
        return await store.read(PASSES_IN, organization=organization, after=after, limit=AT_ONCE)

    async def _domain(self, ref: str) -> str:
        """Passes are about domains: those of a part without a loop are its parent's."""
        declared = await self.services.store.get(Declared, ref) if ref else None
        return (await judge_of(self.services.store, self.services.kinds, declared)).ref if declared else ref

    async def recorded(self, request: Request, subject: Subject) -> Recorded:
        """The pass of this address, for whoever may see it."""
        identity, organization = request.path_params["id"], request.path_params["organization"]
        row = await self.services.store.get(Recorded, identity)
        if (
            row is None
            or row.organization != organization
            or not (await self._sees(subject, organization, (row,)))(row.ref)
        ):
            detail = f"there is no pass {identity} on record"
            raise Refused(404, "not_found", detail, hint="setpoint passes")
        return row


def asked(request: Request, kinds: Kinds) -> tuple[Page, Wanted]:
    """Page and filters; all mistakes in one refusal."""
    page = _page_or_mistake(request)
    wrong = [page] if isinstance(page, str) else []
    filters = {field: request.query_params.get(field, "") for field in ("ref", "kind", "name", "guard")}
    wrong += _unknown("kind", filters["kind"], tuple(kinds))
    wrong += _unknown("guard", filters["guard"], tuple(guard.name for guard in GUARDS))
    if wrong or isinstance(page, str):
        raise Refused(400, "bad_query", "; ".join(wrong))
    return page, Wanted(request.path_params["organization"], **filters)


def _page_or_mistake(request: Request) -> Page | str:
    try:
        return page_of(request)
    except Refused as refused:
        return str(refused)


def _unknown(field: str, word: str, known: tuple[str, ...]) -> list[str]:
    if word in ("", *known):
        return []
    close = nearest(word, known)
    hint = f"did you mean {close}?" if close else f"known are {', '.join(known)}"
    return [f"there is no {field} {word[:64]!r}; {hint}"]


def shown_pass(row: Recorded) -> dict[str, AnyJson]:
    """A pass in short: how much was to be done, how much of it might be, and what held the rest."""
    plan, verdict = row.case.plan, row.verdict
    return {
        "id": row.id,
        "at": moment(row.at),
        "ref": row.ref,
        "kind": row.kind,
        "name": row.name,
        "digest": digest(plan.actions),
        "changes": dict(Counter(action.verb for action in plan.actions)),
        "desired": plan.desired,
        "actual": plan.actual,
        "allowed": len(verdict.allowed),
        "later": verdict.later,
        "holds": [
            {"guard": hold.guard, "withholds": hold.withholds, "message": hold.message}
            for hold in verdict.holds
        ],
        "approval": verdict.approval,
    }


def brief_pass(row: Recorded) -> dict[str, AnyJson]:
    """A pass by the causes of its changes, with the numbers it was judged by; of every list only some."""
    case, plan = row.case, row.case.plan
    brief = {
        "plan": {"reason": plan.reason, "desired": plan.desired, "actual": plan.actual},
        "ledger": {name: getattr(case.ledger, name) for name in ("accepted", "wave", "looks", "sizes")},
        **{name: getattr(case, name) for name in ("limits", "levers", "rooms", "interval", "now")},
        "recent": case.recent[-FEW:],
        "looks": case.looks[:FEW],
        "protected": sorted(case.protected)[:FEW],
    }
    groups = grouped(plan.actions)
    verdict = brief_verdict(row.verdict)
    told = {"organization": row.organization, "case": brief, "groups": groups, "verdict": verdict}
    return {**shown_pass(row), **msgspec.to_builtins(told, order="deterministic")}


def brief_verdict(verdict: Verdict) -> dict[str, AnyJson]:
    """How many of which sort were let through, and what held the rest."""
    return {
        "allowed": dict(Counter(action.verb for action in verdict.allowed)),
        "later": verdict.later,
        "holds": [shown_hold(hold) for hold in verdict.holds],
        "approval": verdict.approval,
    }
