"""HTTP/1.1 as uvicorn speaks it, except that a whole answer is one write: its head and its body together.

Two writes are two packets, and twice the way through the kernel: of a small answer a third of all it costs.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from msgspec import json
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from setpoint.api.connections import Allowance, Connections, Stage
from setpoint.api.problem import Refused

START: Final = "http.response.start"
LENGTH: Final = b"content-length"
OTHERWISE: Final = (b"connection", b"transfer-encoding")
"""Headers that say how the connection goes on: uvicorn's own business."""
Header = tuple[bytes, bytes]
UNBOUNDED: Final = Connections(Allowance())


class OneWrite(HttpToolsProtocol):
    """One connection, counted and timed among all others."""

    def __init__(self, *args: Any, connections: Connections = UNBOUNDED, **more: Any) -> None:
        super().__init__(*args, **more)
        self._connections = connections
        self.stage, self.since = Stage.HEAD, self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if why := self._connections.admit(self, address):
            self._refuse(Refused(503, "too_many_connections", why))

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.forget(self)
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        if self.stage is not Stage.HEAD:  # Of the first request the time runs since the connection was made.
            self._enter(Stage.HEAD)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._enter(Stage.BODY)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._enter(Stage.ANSWER)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self.stage is Stage.ANSWER and self.cycle.response_complete:
            self._enter(Stage.IDLE)
        super().on_response_complete()

    def unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    def end(self) -> None:
        asked = self.stage is Stage.BODY or (self.stage is Stage.HEAD and self.headers is not None)
        cycle: RequestResponseCycle | None = self.cycle
        if asked and (cycle is None or cycle.response_complete or not cycle.response_started):
            self._refuse(Refused(408, "too_slow", "the request did not come to its end in time"))
        if self.unsent() or not self.transport.is_closing():
            self.transport.abort()

    def _enter(self, stage: Stage) -> None:
        self.stage, self.since = stage, self.loop.time()

    def _refuse(self, refused: Refused) -> None:
        """Said where there is no request yet that the application could answer; then it is over."""
        said = {"status": refused.status, "code": refused.code, "detail": str(refused), "retryable": True}
        body = json.encode(said)
        head = [(b"content-type", b"application/problem+json"), (LENGTH, b"%d" % len(body))]
        more = [(b"connection", b"close"), (b"retry-after", b"2")]
        self.transport.write(_joined(STATUS_LINE[refused.status], [*head, *more]) + body)
        self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, Joined(cycle, app))  # type: ignore[arg-type]


class Joined:
    """One request: the head of its answer waits for its body, where that comes in one piece."""

    __slots__ = ("_app", "_cycle", "_head")

    def __init__(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:
        self._cycle, self._app = cycle, app
        self._head: Message | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, self._send)
        if self._head is not None:  # No body followed; uvicorn knows what to say about that.
            await send(self._head)

    async def _send(self, message: Message) -> None:
        if message["type"] == START and not self._cycle.response_started and _whole(message["headers"]):
            self._head = message
            return
        head, self._head = self._head, None
        if head is not None:
            if self._is_plain(message) and self._written(head, message["body"]):
                return
            await self._cycle.send(head)  # type: ignore[arg-type]
        await self._cycle.send(message)  # type: ignore[arg-type]

    def _is_plain(self, body: Message) -> bool:
        """Whether nothing has to be waited for, left out or closed."""
        cycle = self._cycle
        waits = cycle.flow.write_paused or cycle.disconnected or not cycle.keep_alive
        return not (waits or body.get("more_body") or cycle.scope["method"] == "HEAD")

    def _written(self, head: Message, body: bytes) -> bool:
        """False where it is not as long as it says, or a header holds what ends one: uvicorn refuses it."""
        cycle = self._cycle
        headers = [*cycle.default_headers, *head["headers"]]
        joined = _joined(STATUS_LINE[head["status"]], headers)
        lines = len(headers) + 2
        if joined.count(b"\n") != lines or joined.count(b"\r") != lines or b"\0" in joined:
            return False
        if _length(headers) != len(body):
            return False
        cycle.transport.write(joined + body)
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()
        cycle.on_response()
        return True


def _whole(headers: Sequence[Header]) -> bool:
    """Whether its length is known: a stream's is not, and its head must not wait for its first part."""
    names = [name for name, _ in headers]
    return LENGTH in names and not any(name in names for name in OTHERWISE)


def _joined(status: bytes, headers: Sequence[Header]) -> bytes:
    return b"%b%b\r\n" % (status, b"".join([b"%b: %b\r\n" % each for each in headers]))


def _length(headers: Sequence[Header]) -> int:
    return next(int(value) for name, value in headers if name == LENGTH)
