"""A watch: resumed where it stopped, ended when asked, and honest when it cannot go on."""

import json
from collections.abc import Callable, Iterator

import pytest

from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused
from setpoint.client.stream import Stream, started

from .scripted import Asked, Server, Told

SOON = 5.0
Write = Callable[[bytes], None]


def event(revision: int) -> bytes:
    data = json.dumps({"type": "t", "revision": revision, "ref": "host/1", "object": None})
    return f"id: {revision}\nevent: t\ndata: {data}\n\n".encode()


@pytest.fixture
def script() -> list[Told]:
    return []


@pytest.fixture
def server(script: list[Told]) -> Iterator[Server]:
    def scripted(asked: Asked) -> Told:
        return script.pop(0) if script else Told(410, {"detail": "gone", "code": "gone"})

    with Server(scripted).serving() as serving:
        yield serving


def opened(server: Server) -> Stream:
    return Stream(Connection(Endpoint(server.url)), "/v1/organizations/acme/events")


def test_a_broken_stream_is_resumed_after_the_last_event(server: Server, script: list[Told]) -> None:
    def first(write: Write) -> None:
        write(b": at 7\nid: 7\n\n" + event(8) + b": keep-alive\n\nid: 9\nda")

    script += [Told(stream=first), Told(stream=lambda write: write(event(9)))]
    with opened(server) as stream:
        found = [stream.next(SOON), stream.next(SOON)]
    assert [happened.revision for happened in found if happened] == [8, 9]
    assert [asked.headers.get("Last-Event-ID") for asked in server.asked][:2] == [None, "8"]


def test_a_stream_that_cannot_be_resumed_says_so(server: Server, script: list[Told]) -> None:
    script.append(Told(stream=lambda write: write(b"id: 3\n\n")))
    with opened(server) as stream, pytest.raises(Refused, match="gone"):
        stream.next(SOON)


def test_a_refused_watch_is_refused_at_once(server: Server) -> None:
    with pytest.raises(Refused, match="gone"):
        opened(server)


def test_closing_ends_a_stream_that_waits(server: Server, script: list[Told]) -> None:
    def forever(write: Write) -> None:
        write(b": at 41\nid: 41\n\n")
        server.closed.wait(SOON)

    script.append(Told(stream=forever))
    stream = opened(server)
    assert started(stream, SOON) == "41"
    assert stream.next(0.01) is None
    stream.close()
    assert not stream._thread.is_alive()
