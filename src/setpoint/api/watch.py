"""Server-sent events: everything that happens in an organization, resumed where the reader left off."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from setpoint.api.credentials import stands
from setpoint.api.identity import subject_for
from setpoint.api.paging import revision_of
from setpoint.api.problem import Refused
from setpoint.api.render import moment, shown
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import Scope
from setpoint.engine.intent import Intent
from setpoint.engine.rows import Event, Head
from setpoint.engine.store import ANYTHING, EVENTS_AFTER
from setpoint.engine.token import Token

KEEP_ALIVE_SECONDS: Final = 15.0
CHECK_SECONDS: Final = 3.0
"""How often a quiet stream asks whether its reader may still listen."""
AT_ONCE: Final = 200


async def watch(sight: Sight, request: Request, scope: Scope, kind: str) -> Response:
    """A stream that starts after `Last-Event-ID`, or now; `kind` empty means everything."""
    if not scope.organization:
        raise Refused(400, "needs_organization", "a watch follows one organization; name it in the address")
    last = request.headers.get("Last-Event-ID") or request.query_params.get("since", "")
    head = await sight.services.store.get(Head, scope.organization)
    current = head.revision if head else 0
    revision = revision_of(last, "Last-Event-ID") if last else current
    if revision > current:
        hint = "list again and watch from the revision you get"
        raise Refused(410, "gone", f"revision {revision} is ahead of {current}", hint=hint)
    stream = _stream(sight, scope, kind, revision)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def wants_watch(request: Request) -> bool:
    """A stream is asked for in words; the head of one would never end."""
    return request.method == "GET" and request.query_params.get("watch", "") in ("1", "true")


async def _stream(sight: Sight, scope: Scope, kind: str, revision: int) -> AsyncIterator[bytes]:
    services, moved, quiet = sight.services, asyncio.Event(), 0.0
    forgets = (
        services.store.listen(
            lambda changed: moved.set() if changed & {scope.organization, ANYTHING} else None
        ),
        services.drain.listen(moved.set),
    )
    try:
        yield f": at {revision}\nid: {revision}\n\n".encode()
        while True:
            moved.clear()  # Before anything is looked at: what comes meanwhile is looked at again.
            if services.drain.begun or not await _still_valid(sight):
                return
            async for event in _events(services, scope, revision):
                revision = event.revision
                asked_for = kind in ("", event.kind) and _inside(scope, event)
                if asked_for and (frame := await _framed(sight, event)):
                    quiet = 0.0
                    yield frame
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await moved.wait()
            except TimeoutError:
                quiet += CHECK_SECONDS
                if quiet >= KEEP_ALIVE_SECONDS:
                    quiet = 0.0
                    yield b": keep-alive\n\n"
    finally:
        for forget in forgets:
            forget()


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
    if not sight.hears(event, entity.declared if entity else None):
        return b""
    body = {
        "type": event.type,
        "revision": event.revision,
        "at": moment(event.at),
        "ref": event.ref,
        "message": event.message,
        "object": shown(entity) if entity is not None else None,
    }
    return f"id: {event.revision}\nevent: {event.type}\ndata: ".encode() + msgspec.json.encode(body) + b"\n\n"
