"""Server-sent events: everything that happens in an organization, resumed where the reader left off."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from setpoint.api.paging import revision_of
from setpoint.api.problem import Refused
from setpoint.api.render import moment, shown
from setpoint.api.services import Services
from setpoint.engine.entity import Scope
from setpoint.engine.intent import Intent
from setpoint.engine.rows import Event, Head
from setpoint.engine.store import ANYTHING, EVENTS_AFTER

KEEP_ALIVE_SECONDS: Final = 15.0
AT_ONCE: Final = 200


async def watch(services: Services, request: Request, scope: Scope, kind: str) -> Response:
    """A stream that starts after `Last-Event-ID`, or now; `kind` empty means everything."""
    if not scope.organization:
        raise Refused(400, "needs_organization", "a watch follows one organization; name it in the address")
    last = request.headers.get("Last-Event-ID") or request.query_params.get("since", "")
    head = await services.store.get(Head, scope.organization)
    current = head.revision if head else 0
    revision = revision_of(last, "Last-Event-ID") if last else current
    if revision > current:
        hint = "list again and watch from the revision you get"
        raise Refused(410, "gone", f"revision {revision} is ahead of {current}", hint=hint)
    stream = _stream(services, scope, kind, revision)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def wants_watch(request: Request) -> bool:
    """A stream is asked for in words; the head of one would never end."""
    return request.method == "GET" and request.query_params.get("watch", "") in ("1", "true")


async def _stream(services: Services, scope: Scope, kind: str, revision: int) -> AsyncIterator[bytes]:
    moved = asyncio.Event()
    forgets = (
        services.store.listen(
            lambda changed: moved.set() if changed & {scope.organization, ANYTHING} else None
        ),
        services.drain.listen(moved.set),
    )
    try:
        yield f": at {revision}\nid: {revision}\n\n".encode()
        while not services.drain.begun:
            moved.clear()
            async for event in _events(services, scope, revision):
                revision = event.revision
                if kind in ("", event.kind) and _inside(scope, event):
                    yield await _framed(services, event)
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await moved.wait()
            except TimeoutError:
                yield b": keep-alive\n\n"
    finally:
        for forget in forgets:
            forget()


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


async def _framed(services: Services, event: Event) -> bytes:
    """The event with the object as it is now, or null when it is gone."""
    entity = (
        await Intent(services.store, services.kinds).entity(event.ref)
        if event.kind in services.kinds
        else None
    )
    body = {
        "type": event.type,
        "revision": event.revision,
        "at": moment(event.at),
        "ref": event.ref,
        "message": event.message,
        "object": shown(entity) if entity is not None else None,
    }
    return f"id: {event.revision}\nevent: {event.type}\ndata: ".encode() + msgspec.json.encode(body) + b"\n\n"
