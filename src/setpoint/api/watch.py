"""Server-sent events: everything that happens in an organization, resumed where the reader left off."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from setpoint.api.credentials import stands
from setpoint.api.identity import subject_for
from setpoint.api.paging import number, revision_of
from setpoint.api.problem import Refused
from setpoint.api.render import moment
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import Scope
from setpoint.engine.intent import Intent
from setpoint.engine.levers import is_above_all
from setpoint.engine.rows import Event, Head
from setpoint.engine.store import ANYTHING, EVENTS_AFTER, EVENTS_BEFORE, TENANT
from setpoint.engine.token import Token

AnyJson = Any
KEEP_ALIVE_SECONDS: Final = 15.0
CHECK_SECONDS: Final = 3.0
"""How often a quiet stream asks whether its reader may still listen."""
AT_ONCE: Final = 200
LONGEST_BACK: Final = 60


async def watch(sight: Sight, request: Request, scope: Scope, kind: str) -> Response:
    """A stream that starts after `Last-Event-ID`, or now, or `back` seconds ago; `kind` empty: everything."""
    if not scope.organization:
        raise Refused(400, "needs_organization", "a watch follows one organization; name it in the address")
    sight.services.streams.check(sight.subject.credential, scope.organization)
    last = request.headers.get("Last-Event-ID") or request.query_params.get("since", "")
    head = await sight.services.store.get(Head, scope.organization)
    current = head.revision if head else 0
    revision = revision_of(last, "Last-Event-ID") if last else await _begun(sight, request, scope, current)
    if revision > current:
        hint = "list again and watch from the revision you get"
        raise Refused(410, "gone", f"revision {revision} is ahead of {current}", hint=hint)
    stream = _stream(sight, scope, kind, revision)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _begun(sight: Sight, request: Request, scope: Scope, current: int) -> int:
    """For whoever read first and listens then: what happened in between is told too."""
    asked = request.query_params.get("back", "0")
    if (back := number(asked)) is None or back > LONGEST_BACK:
        detail = f"back is a number of seconds up to {LONGEST_BACK}, not {asked[:64]!r}"
        raise Refused(400, "bad_query", detail)
    if not back:
        return current
    store, begin, first = sight.services.store, sight.services.runtime.now() - back, current + 1
    while events := await store.read(
        EVENTS_BEFORE, organization=scope.organization, below=first, limit=AT_ONCE
    ):
        recent = [event.revision for event in events if event.at >= begin]
        first = min(recent, default=first)
        if len(recent) < AT_ONCE:
            break
    return first - 1


def wants_watch(request: Request) -> bool:
    """A stream is asked for in words; the head of one would never end."""
    return request.method == "GET" and request.query_params.get("watch", "") in ("1", "true")


class Ears:
    """What a stream hears: that its organization moved, or something above all of them."""

    def __init__(self, services: Services, organization: str) -> None:
        self.moved = asyncio.Event()
        self._services = services
        self._organization = organization
        self._above = False
        self._revision = 0
        self._forgets = (services.store.listen(self._hear), services.drain.listen(self.moved.set))

    async def begin(self) -> None:
        """From here on: what was moved above before is read when a page is opened."""
        head = await self._services.store.get(Head, "")
        self._revision = head.revision if head else 0

    async def levers(self) -> Sequence[Event]:
        """Levers above, moved since: they hold every organization, so each is told; of nothing else there."""
        if not self._above:
            return ()
        self._above = False
        before = TENANT.set("")
        try:
            found = await self._services.store.read(
                EVENTS_AFTER, organization="", after=self._revision, limit=AT_ONCE
            )
        finally:
            TENANT.reset(before)
        self._revision = found[-1].revision if found else self._revision
        self._above = len(found) == AT_ONCE
        return [event for event in found if event.type == "switch.changed" and is_above_all(event.ref)]

    async def hear_something(self) -> bool:
        """Whether anything moved before it was time to look after the reader."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return await self.moved.wait()
        except TimeoutError:
            return False

    def close(self) -> None:
        for forget in self._forgets:
            forget()

    def _hear(self, changed: frozenset[str]) -> None:
        # What lies in no organization is told under the name of lost hints: both are looked for.
        self._above = self._above or ANYTHING in changed
        if changed & {self._organization, ANYTHING}:
            self.moved.set()


async def _stream(sight: Sight, scope: Scope, kind: str, revision: int) -> AsyncIterator[bytes]:
    with sight.services.streams.counted(sight.subject.credential, scope.organization):
        async with aclosing(_frames(sight, scope, kind, revision)) as frames:
            async for frame in frames:
                yield frame


async def _frames(sight: Sight, scope: Scope, kind: str, revision: int) -> AsyncGenerator[bytes, None]:
    services, quiet = sight.services, 0.0
    ears = Ears(services, scope.organization)
    try:
        await ears.begin()
        yield f": at {revision}\nid: {revision}\n\n".encode()
        while True:
            ears.moved.clear()  # Before anything is looked at: what comes meanwhile is looked at again.
            if services.drain.begun or not await _still_valid(sight):
                return
            async for event in _events(services, scope, revision):
                revision = event.revision
                asked_for = kind in ("", event.kind) and _inside(scope, event)
                if asked_for and (frame := await _framed(sight, event)):
                    quiet = 0.0
                    yield frame
            for event in await ears.levers() if not kind else ():
                yield _told(event, None)  # Without an id: it is no place in this organization's order.
            if not await ears.hear_something():
                quiet += CHECK_SECONDS
                if quiet >= KEEP_ALIVE_SECONDS:
                    quiet = 0.0
                    yield b": keep-alive\n\n"
    finally:
        ears.close()


async def _still_valid(sight: Sight) -> bool:
    """Whoever lost their credential, or what it allowed, hears no more."""
    token = await sight.services.store.get(Token, sight.subject.credential)
    if token is None or not await stands(sight.services.store, token, sight.services.runtime.now()):
        return False
    return await subject_for(sight.services.store, token) == sight.subject


def _inside(scope: Scope, event: Event) -> bool:
    """What happens to the organization itself lies in no project, but is its own affair."""
    return scope == Scope(event.organization) or scope.holds(event.scope)


async def _events(services: Services, scope: Scope, revision: int) -> AsyncIterator[Event]:
    while True:
        found = await services.store.read(
            EVENTS_AFTER, organization=scope.organization, after=revision, limit=AT_ONCE
        )
        for event in found:
            yield event
        if len(found) < AT_ONCE:
            return
        revision = found[-1].revision


async def _framed(sight: Sight, event: Event) -> bytes:
    """The event with the object as it is now, or null when it is gone; nothing if it is not theirs to see."""
    services = sight.services
    entity = (
        await Intent(services.store, services.kinds).entity(event.ref)
        if event.kind in services.kinds
        else None
    )
    if not await sight.heard((event,), {event.ref: entity.declared} if entity else {}):
        return b""
    shown = services.rendered.object(entity) if entity is not None else None
    return f"id: {event.revision}\n".encode() + _told(event, shown)


def _told(event: Event, shown: AnyJson) -> bytes:
    body = {
        "type": event.type,
        "revision": event.revision,
        "at": moment(event.at),
        "ref": event.ref,
        "message": event.message,
        "object": shown,
    }
    return f"event: {event.type}\ndata: ".encode() + msgspec.json.encode(body) + b"\n\n"
