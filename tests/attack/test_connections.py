"""Connections that say little or nothing, and streams without end: closed in time, few for each caller."""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import postgres

from .conftest import STORES
from .kit import ENOUGH, Installation, on_postgres, on_sqlite

FULL = os.environ.get("SETPOINT_ATTACK") == "full"
HEAD_SECONDS = 0.5
EACH = 300 if FULL else 60
BOUNDS = {
    "SETPOINT_HEAD_SECONDS": str(HEAD_SECONDS),
    "SETPOINT_CONNECTIONS": "4000",
    "SETPOINT_CREDENTIAL_STREAMS": "4",
    "SETPOINT_ORGANIZATION_STREAMS": "6",
}
HALVES = {
    "silence": b"",
    "blank lines": b"\r\n",
    "half a head": b"GET /v1/kinds HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "half a body": b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    "half a chunk": b"POST /v1/me HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
    "a second request": b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nX-Slow: ",
}


@contextlib.contextmanager
def bounded(store: str, folder: Path, **env: str) -> Iterator[Installation]:
    if store == "sqlite":
        with on_sqlite(folder, **{**BOUNDS, **env}) as found:
            yield found
    else:
        with on_postgres(folder, asyncio.run(postgres.database()), **{**BOUNDS, **env}) as found:
            yield found


@pytest.fixture(scope="module", params=STORES)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """With short deadlines."""
    with bounded(str(request.param), tmp_path_factory.mktemp("small")) as found:
        yield found


def connect(url: str, source: str, sent: bytes = b"") -> socket.socket:
    parts = urlsplit(url)
    opened = socket.create_connection((str(parts.hostname), parts.port), ENOUGH, (source, 0))
    opened.sendall(sent)
    opened.settimeout(0)
    return opened


def is_open(connection: socket.socket) -> bool:
    """Reads away what came; closed is what has ended."""
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def until(so: Callable[[], bool], story: str) -> None:
    deadline = time.monotonic() + ENOUGH
    while not so():
        assert time.monotonic() < deadline, story
        time.sleep(0.05)


@pytest.mark.parametrize("sent", HALVES)
def test_half_sent_requests_are_all_closed_and_others_are_served(small: Installation, sent: str) -> None:
    began = time.monotonic()
    held = [connect(small.url, "127.0.0.2", HALVES[sent]) for _ in range(EACH)]
    with contextlib.ExitStack() as stack:
        for each in held:
            stack.enter_context(each)
        if sent != "a second request":
            assert any(is_open(each) for each in held)
        assert small.nobody.get("/livez").status == 200
        assert small.admin.get("/v1/kinds").status == 200
        until(lambda: not any(is_open(each) for each in held), f"{sent}: still open")
    print(f"{sent}: {EACH} opened, 0 open after {time.monotonic() - began:.1f} s")  # noqa: T201


def test_a_byte_now_and_then_wins_no_time(small: Installation) -> None:
    """The deadline is for the whole head; each byte is not a new beginning."""
    with connect(small.url, "127.0.0.2", b"GET /livez HTTP/1.1\r\nX-Slow: ") as slow:

        def drips() -> bool:
            with contextlib.suppress(OSError):
                slow.send(b"a")
            return not is_open(slow)

        until(drips, "still open")


def test_a_slow_request_hears_why(small: Installation) -> None:
    with connect(small.url, "127.0.0.2", HALVES["half a body"]) as slow:
        slow.settimeout(ENOUGH)
        said = slow.recv(65536)
    assert said.startswith(b"HTTP/1.1 408 "), said
    assert b"too_slow" in said


def test_a_connection_that_is_used_stays(small: Installation) -> None:
    """Requests with long pauses between them, each whole: longer than any deadline for one."""
    with connect(small.url, "127.0.0.4") as kept:
        kept.settimeout(ENOUGH)
        begun = time.monotonic()
        while time.monotonic() - begun < 4 * HEAD_SECONDS:
            kept.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
            time.sleep(HEAD_SECONDS / 2)


@pytest.mark.parametrize("store", STORES)
def test_one_address_cannot_take_all_connections(store: str, tmp_path: Path) -> None:
    more = {"SETPOINT_CONNECTIONS": "40", "SETPOINT_CONNECTIONS_PER_ADDRESS": "10"}
    with (
        bounded(store, tmp_path, **{**more, "SETPOINT_HEAD_SECONDS": "60"}) as installation,
        contextlib.ExitStack() as stack,
    ):
        held = [connect(installation.url, "127.0.0.2", HALVES["half a head"]) for _ in range(30)]
        for each in held:
            stack.enter_context(each)
        until(lambda: sum(map(is_open, held)) == 10, "more than 10 connections of one address")
        assert installation.nobody.get("/livez").status == 200
        with connect(installation.url, "127.0.0.2") as another:
            another.settimeout(ENOUGH)
            said = another.recv(65536)
        assert said.startswith(b"HTTP/1.1 503 "), said
        assert b"10 connections are open from 127.0.0.2" in said


def listen(url: str, token: str, organization: str) -> socket.socket:
    where = f"/v1/organizations/{organization}/events?watch=1"
    head = f"GET {where} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
    opened = connect(url, "127.0.0.1", head.encode())
    opened.settimeout(ENOUGH)
    return opened


def answered(opened: socket.socket) -> int:
    """The status; of a stream, as soon as it has begun."""
    head = b""
    while b"\r\n\r\n" not in head or (b" 200 " in head and b"id: " not in head):
        part = opened.recv(65536)
        assert part, head
        head += part
    return int(head.split(b" ", 2)[1])


def test_streams_are_few_for_each_credential_and_organization(small: Installation) -> None:
    organization, another = small.organization(), small.organization()
    first, second = (small.service(organization, "auditor").token for _ in range(2))
    other = small.service(another, "auditor").token
    with contextlib.ExitStack() as stack:

        def status(token: str, where: str = organization) -> int:
            return answered(stack.enter_context(listen(small.url, token, where)))

        closed = listen(small.url, first, organization)
        assert answered(closed) == 200
        assert [status(first) for _ in range(4)] == [200, 200, 200, 429]
        assert [status(second) for _ in range(3)] == [200, 200, 429]
        assert status(other, another) == 200
        closed.close()
        until(lambda: status(first) == 200, "a stream that was closed counts for ever")
