"""One recorded pass once more: as the guards see it today, or with something changed."""

import asyncio
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.measures import Sources, measured
from setpoint.api.passes import Passes, brief_verdict
from setpoint.api.problem import Refused
from setpoint.api.rehearsal import limit_mistakes
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.validate import unknown_fields
from setpoint.engine.case import Case, Lever
from setpoint.engine.errors import Mistake
from setpoint.engine.guards import Verdict, judge
from setpoint.engine.limits import Limits
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Mode

AnyJson = Any
MODES = tuple(mode.value for mode in Mode)


class Replays(Struct, frozen=True):
    """Judging again what is on record; nothing is done, whatever comes of it."""

    services: Services

    async def replay(self, request: Request, subject: Subject) -> Response:
        """GET what the guards say today about what they saw then, each with its numbers."""
        row = await Passes(self.services).recorded(request, subject)
        return answer(await self._judged(row, row.case))

    async def changed(self, request: Request, subject: Subject) -> Response:
        """POST other limits, another mode, or items to leave out: what the guards would have said then."""
        row = await Passes(self.services).recorded(request, subject)
        return answer(await self._judged(row, _changed(row.case, await self._wish(request))))

    async def _judged(self, row: Recorded, case: Case) -> dict[str, AnyJson]:
        # In a thread: a large plan takes a second to judge.
        again = await asyncio.to_thread(judge, case, row.agreed)
        return {
            "id": row.id,
            "at": moment(row.at),
            "ref": row.ref,
            "kind": row.kind,
            "name": row.name,
            "same": again == row.verdict,
            "then": brief_verdict(row.verdict),
            "now": brief_verdict(again),
            "guards": self._measured(row, case, again),
        }

    def _measured(self, row: Recorded, case: Case, verdict: Verdict) -> list[dict[str, AnyJson]]:
        sources = Sources(self.services.limits, self.services.narrower)
        return measured(case, verdict, partial(sources.of, kind=row.kind, name=row.name))

    async def _wish(self, request: Request) -> Mapping[str, AnyJson]:
        body = await read_json(request, self.services.max_body_bytes)
        wrong = list(_mistakes(body))
        if wrong:
            detail = wrong[0].message if len(wrong) == 1 else f"{len(wrong)} mistakes; nothing was judged"
            raise Refused(422, "bad_rehearsal", detail, mistakes=tuple(wrong))
        wish: Mapping[str, AnyJson] = body
        return wish


def _changed(case: Case, wish: Mapping[str, AnyJson]) -> Case:
    """The same case but for what is wished otherwise."""
    if "limits" in wish:
        wished = msgspec.to_builtins(case.limits) | wish["limits"]
        case = case.under(msgspec.convert(wished, Limits))
    out = frozenset(wish.get("without", ()))
    kept = tuple(action for action in case.plan.actions if action.item not in out)
    levers = (Lever(Mode(wish["mode"]), "this replay"),) if "mode" in wish else case.levers
    plan = msgspec.structs.replace(case.plan, actions=kept)
    return msgspec.structs.replace(case, plan=plan, levers=levers)


def _mistakes(body: AnyJson) -> Iterator[Mistake]:
    if not isinstance(body, dict):
        yield Mistake(pointer="", code="bad_type", message="an object with what to change was expected")
        return
    yield from unknown_fields(body, ("limits", "mode", "without"), "")
    yield from limit_mistakes(body.get("limits", {}))
    if body.get("mode", "run") not in MODES:
        yield Mistake(pointer="/mode", code="bad_value", message=f"mode is one of {', '.join(MODES)}")
    without = body.get("without", [])
    if not isinstance(without, list) or not all(isinstance(item, str) for item in without):
        yield Mistake(pointer="/without", code="bad_type", message="a list of items was expected")
