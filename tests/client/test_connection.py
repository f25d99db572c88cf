"""Calls over real sockets: what is repeated, what is not, and how failures are worded."""

import socket
from collections.abc import Iterator

import pytest

from setpoint.client.client import Batch, Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused, Unreachable

from .scripted import Asked, Server, Told

SECRET = "tok-never-shown"  # noqa: S105 - opens nothing


@pytest.fixture
def answers() -> list[Told]:
    return []


@pytest.fixture
def server(answers: list[Told]) -> Iterator[Server]:
    def script(asked: Asked) -> Told:
        return answers.pop(0) if answers else Told(body={"items": [], "next_page_token": ""})

    with Server(script).serving() as serving:
        yield serving


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    opened = Client(Connection(Endpoint(server.url, SECRET, timeout=5)))
    yield opened
    opened.close()


def test_the_token_goes_into_the_header_and_nowhere_else(client: Client, server: Server) -> None:
    client.kinds()
    assert server.asked[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr(client.connection.endpoint)


def test_pages_are_fetched_only_as_far_as_they_are_read(
    client: Client, server: Server, answers: list[Told]
) -> None:
    answers += [Told(body={"items": [{"n": n}, {"n": n + 1}], "next_page_token": str(n)}) for n in (0, 2, 4)]
    every = client.items("/v1/things")
    assert [next(every)["n"] for _ in range(3)] == [0, 1, 2]
    assert [asked.query.get("page_token") for asked in server.asked] == [None, "0"]


def test_a_busy_server_is_asked_again_by_reads(client: Client, server: Server, answers: list[Told]) -> None:
    answers += [Told(503, {"detail": "wait"}, {"Retry-After": "0"}), Told(body={"items": []})]
    assert client.kinds() == ()
    assert len(server.asked) == 2


def test_a_change_is_sent_once_even_to_a_busy_server(
    client: Client, server: Server, answers: list[Told]
) -> None:
    answers.append(Told(503, {"detail": "wait"}, {"Retry-After": "0"}))
    with pytest.raises(Refused):
        client.declare("acme", Batch([]))
    assert len(server.asked) == 1


def test_a_refusal_carries_every_mistake(client: Client, answers: list[Told]) -> None:
    errors = [{"pointer": "/items/0/spec", "code": "bad", "message": "no", "hint": "yes"}, "not a mistake"]
    answers.append(Told(422, {"detail": "1 mistake", "code": "invalid", "errors": errors}))
    with pytest.raises(Refused) as refused:
        client.declare("acme", Batch([]))
    assert [mistake.pointer for mistake in refused.value.problem.mistakes] == ["/items/0/spec"]


def test_a_page_of_some_proxy_is_told_apart_from_a_problem(client: Client, answers: list[Told]) -> None:
    answers.append(Told(502, b"<html>bad gateway</html>"))
    with pytest.raises(Refused, match="is it really the API"):
        client.kinds()


def test_nobody_listening_is_said_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match="nothing listens there"):
        Client(Connection(Endpoint(f"http://127.0.0.1:{port}"))).kinds()


def test_a_silent_server_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(Unreachable, match="no answer within 0 s"):
            Client(Connection(Endpoint(url, timeout=0.1))).kinds()


@pytest.mark.parametrize("url", ["127.0.0.1:7410", "ftp://example.org", "http://"])
def test_an_address_that_is_none_is_unreachable(url: str) -> None:
    with pytest.raises(Unreachable, match="an address looks like"):
        Client(Connection(Endpoint(url))).kinds()


def test_a_stale_connection_is_replaced_for_reads(client: Client, server: Server) -> None:
    client.kinds()
    kept = client.connection._kept
    assert kept is not None
    kept.sock.shutdown(socket.SHUT_RDWR)
    assert client.kinds() == ()
    assert len(server.asked) == 2


def test_a_slash_in_a_switch_stays_inside_its_name(client: Client, server: Server) -> None:
    client.set_switch("scope:acme/shop", {"mode": "stop", "reason": "test"})
    assert server.paths("PUT") == ["/v1/switches/scope:acme/shop"]
