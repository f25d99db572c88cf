"""HTTP/1.1 with whole answers in one write: nothing else about it is different."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from setpoint.api.protocol import OneWrite

START, BODY = "http.response.start", "http.response.body"
Header = tuple[bytes, bytes]
Writes = list[bytes]


@contextlib.asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=OneWrite, log_config=None, lifespan="off", server_header=False)
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn offers a flag, no event
        await asyncio.sleep(0)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def said(port: int, request: bytes) -> bytes:
    """All that comes back until the other side hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    found = await reader.read()
    writer.close()
    return found


def get(path: str = "/", *more: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *more, "", ""]).encode()


CLOSE = "Connection: close"


def answering(body: bytes = b"hello", *more: Header, length: int | None = None) -> ASGIApp:
    """An application that says this, and how long it is."""
    size = len(body) if length is None else length
    headers = [(b"content-length", b"%d" % size), *more]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": START, "status": 200, "headers": headers})
        await send({"type": BODY, "body": body})

    return app


async def written(monkeypatch: pytest.MonkeyPatch, app: ASGIApp, request: bytes) -> Writes:
    """What the server hands to the kernel for one request, piece by piece."""
    found: Writes = []
    made: Callable[..., None] = OneWrite.connection_made

    def connection_made(self: OneWrite, transport: asyncio.Transport) -> None:
        made(self, _Told(transport, found))

    monkeypatch.setattr(OneWrite, "connection_made", connection_made)
    async with served(app) as port:
        await said(port, request + get("/", CLOSE))
    return found


class _Told:
    """A transport that also notes what is written to it."""

    def __init__(self, transport: asyncio.Transport, found: Writes) -> None:
        self._transport, self._found = transport, found

    def write(self, data: bytes) -> None:
        self._found.append(bytes(data))
        self._transport.write(data)

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)


async def test_head_and_body_are_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    [first, *rest] = await written(monkeypatch, answering(b"hello"), get())
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert first.endswith(b"\r\n\r\nhello")
    # The last one closes the connection, which is for uvicorn to say.
    assert rest[-1] == b"hello"


async def test_requests_sent_behind_each_other_are_answered_in_their_order() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.01 if scope["path"] == "/slow" else 0)
        await answering(scope["path"].encode())(scope, receive, send)

    async with served(app) as port:
        found = await said(port, get("/slow") + get("/quick") + get("/last", CLOSE))
    assert [each.partition(b"\r\n\r\n")[2] for each in found.split(b"HTTP/1.1 200 OK")[1:]] == [
        b"/slow",
        b"/quick",
        b"/last",
    ]


async def test_a_header_that_would_begin_another_is_never_sent() -> None:
    async with served(answering(b"hello", (b"x-name", b"a\r\nset-cookie: b"))) as port:
        found = await said(port, get())
    assert b"set-cookie" not in found


async def test_an_answer_that_is_not_as_long_as_it_says_is_not_taken_for_one() -> None:
    for length in (4, 6):
        async with served(answering(b"hello", length=length)) as port:
            found = await said(port, get() + get("/", CLOSE))
        assert found.count(b"HTTP/1.1 200 OK") <= 1  # The connection ends with it.


async def test_the_answer_to_head_has_no_body_and_closing_closes() -> None:
    async with served(answering(b"hello")) as port:
        found = await said(port, get("/", CLOSE, method="HEAD"))
    assert found.endswith(b"\r\n\r\n")
    assert b"content-length: 5" in found
    assert b"connection: close" in found


async def test_the_head_of_a_stream_does_not_wait_for_its_first_part() -> None:
    heard = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": START, "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await heard.wait()
        await send({"type": BODY, "body": b"data: 1\n\n", "more_body": True})
        await send({"type": BODY, "body": b""})

    async with served(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(get("/", CLOSE))
        assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")
        heard.set()
        assert b"data: 1" in await reader.read()
        writer.close()


async def test_an_application_that_fails_after_its_head_is_answered_for() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": START, "status": 200, "headers": [(b"content-length", b"5")]})
        raise ValueError("now of all times")

    async with served(app) as port:
        assert (await said(port, get())).startswith(b"HTTP/1.1 500 ")


async def test_an_application_that_never_sends_its_body_ends_the_connection() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": START, "status": 200, "headers": [(b"content-length", b"5")]})

    async with served(app) as port:
        assert b"200 OK" in await said(port, get())


async def test_a_body_is_asked_for_and_a_caller_who_left_is_not_written_to() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        sent = await receive()
        await answering(sent["body"])(scope, receive, send)

    async with served(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(get("/", "Content-Length: 2", "Expect: 100-continue", CLOSE, method="POST"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"ok")
        assert (await reader.read()).endswith(b"\r\n\r\nok")
        writer.close()
