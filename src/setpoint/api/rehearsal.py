"""Rehearsing a limit: which recorded passes it would have held more, or less, before anybody relies on it."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.guards import FIELDS, bounds_of
from setpoint.api.outline import shown_hold
from setpoint.api.paging import page_of
from setpoint.api.passes import Passes, Wanted
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.validate import unknown_fields
from setpoint.engine.errors import Mistake
from setpoint.engine.guards import Verdict
from setpoint.engine.limits import Limits
from setpoint.engine.record import Recorded, rehearsed
from setpoint.engine.rows import HoldRow

AnyJson = Any
LONGEST_VALUE: Final = 40
PATIENCE: Final = 5.0
"""Seconds after which a page ends early: one pass over a large domain alone takes a second to judge."""


class Rehearsals(Struct, frozen=True):
    """What other limits would have done to what is on record."""

    services: Services

    async def rehearse(self, request: Request, subject: Subject) -> Response:
        """POST limits: the passes that would have gone another way, among one page of the newest."""
        page = page_of(request)
        fields = _checked(await read_json(request, self.services.max_body_bytes))
        wanted = Wanted(request.path_params["organization"], ref=fields.get("ref", ""))
        items: list[dict[str, AnyJson]] = []
        looked_at, last, more = 0, "", ""
        until = self.services.runtime.now() + PATIENCE
        async with aclosing(Passes(self.services).newest(wanted, page.after, subject)) as rows:
            async for row in rows:
                if looked_at == page.size or (looked_at and self.services.runtime.now() > until):
                    more = last
                    break
                looked_at, last = looked_at + 1, row.id
                # In a thread: judging a large plan must not keep everybody else waiting.
                items += await asyncio.to_thread(differing, row, fields["limits"])
        return answer({**_counted(items), "looked_at": looked_at, "items": items, "next_page_token": more})


def differing(row: Recorded, wanted: Mapping[str, AnyJson]) -> list[dict[str, AnyJson]]:
    """This pass as it would have gone under these limits and otherwise its own; nothing if all the same."""
    limits = msgspec.convert({**msgspec.to_builtins(row.case.limits), **wanted}, Limits)
    then, would = row.verdict, rehearsed(row, limits)
    more, less = tuple(_added(then, would)), tuple(_added(would, then))
    if not more and not less and len(then.allowed) == len(would.allowed):
        return []
    return [
        {
            "id": row.id,
            "at": moment(row.at),
            "ref": row.ref,
            "kind": row.kind,
            "name": row.name,
            "held_more": [shown_hold(hold) for hold in more],
            "held_less": [shown_hold(hold) for hold in less],
            "allowed": {"then": len(then.allowed), "would_be": len(would.allowed)},
            "later": {"then": then.later, "would_be": would.later},
        }
    ]


def _added(one: Verdict, other: Verdict) -> Iterator[HoldRow]:
    """Holds of the other that the one does not have, or not about all of the same items."""
    known = {hold.guard: frozenset(hold.items) for hold in one.holds}
    for hold in other.holds:
        if hold.guard not in known or not frozenset(hold.items) <= known[hold.guard]:
            yield hold


def _counted(items: list[dict[str, AnyJson]]) -> dict[str, int]:
    """How many of the passes would have been held more, and how many less."""
    return {
        "held_more": sum(bool(each["held_more"]) or _let_through(each) < 0 for each in items),
        "held_less": sum(bool(each["held_less"]) or _let_through(each) > 0 for each in items),
    }


def _let_through(item: Mapping[str, AnyJson]) -> int:
    """How many changes more than then; a wave that comes in smaller steps is a limit too."""
    return int(item["allowed"]["would_be"] - item["allowed"]["then"])


def _checked(body: AnyJson) -> Mapping[str, AnyJson]:
    """The body, if nothing is wrong with it; else every mistake at once."""
    wrong = list(_mistakes(body))
    if wrong:
        detail = wrong[0].message if len(wrong) == 1 else f"{len(wrong)} mistakes; nothing was judged"
        raise Refused(422, "bad_rehearsal", detail, mistakes=tuple(wrong))
    checked: Mapping[str, AnyJson] = body
    return checked


def _mistakes(body: AnyJson) -> Iterator[Mistake]:
    if not isinstance(body, dict):
        yield Mistake(pointer="", code="bad_type", message="an object with limits was expected")
        return
    yield from unknown_fields(body, ("limits", "ref"), "")
    if not isinstance(body.get("ref", ""), str):
        yield Mistake(pointer="/ref", code="bad_type", message="text was expected")
    limits = body.get("limits")
    if not isinstance(limits, dict) or not limits:
        message = "say which limits to try, by name and value"
        hint = f"known are {', '.join(FIELDS)}"
        yield Mistake(pointer="/limits", code="missing", message=message, hint=hint)
        return
    yield from limit_mistakes(limits)


def limit_mistakes(limits: AnyJson) -> Iterator[Mistake]:
    """What is wrong with limits by name and value."""
    if not isinstance(limits, dict):
        yield Mistake(pointer="/limits", code="bad_type", message="limits by name and value were expected")
        return
    for mistake in unknown_fields(limits, tuple(FIELDS), "/limits"):
        message = mistake.message.replace("a field here", "a limit")
        yield msgspec.structs.replace(mistake, code="unknown_limit", message=message)
    for name in sorted(limits.keys() & FIELDS.keys()):
        yield from _value_mistakes(name, limits[name])


def _value_mistakes(name: str, value: AnyJson) -> Iterator[Mistake]:
    try:
        msgspec.convert({name: value}, Limits)
    except msgspec.ValidationError:
        found = msgspec.json.encode(value).decode()[:LONGEST_VALUE]
        message = f"{name} is {bounds_of(name)}, not {found}"
        yield Mistake(
            pointer=f"/limits/{name}", code="bad_value", message=message, hint=FIELDS[name]["description"]
        )
