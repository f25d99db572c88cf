"""Temporal and Redis, there and not there."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from processes import free_port
from setpoint.check import reach
from setpoint.check.finding import Level
from temporal import temporal_server


async def test_temporal_is_asked_for_the_namespace(tmp_path: Path) -> None:
    with temporal_server(tmp_path) as server:
        good = await reach.temporal(server.address)
        other = await reach.temporal(server.address.replace("/default", "/nowhere"))
    where = f"127.0.0.1:{server.port}"
    assert (good.level, good.said) == (Level.OK, f"{where} has the namespace default")
    assert (other.level, other.said) == (Level.FAIL, f"{where} has no namespace nowhere")
    assert other.cure.startswith("temporal operator namespace create nowhere")


async def test_a_temporal_that_is_away_fails() -> None:
    port = free_port()
    found = await reach.temporal(f"temporal://127.0.0.1:{port}/default")
    assert (found.level, found.said) == (Level.FAIL, f"127.0.0.1:{port} does not answer")
    assert found.cure == "start it, or correct SETPOINT_RUNNER (embedded needs no Temporal)"


async def test_the_embedded_runner_needs_none() -> None:
    assert (await reach.temporal("embedded")).level is Level.OK


@pytest.mark.parametrize(
    ("login", "answer", "level"),
    [
        ("", b"+PONG\r\n", Level.OK),
        (":hunter2@", b"+OK\r\n+PONG\r\n", Level.OK),
        ("", b"-NOAUTH Authentication required.\r\n", Level.WARN),
        ("u:hunter2@", b"-WRONGPASS no hunter2 here\r\n-NOAUTH\r\n", Level.WARN),
        ("", b"HTTP/1.1 400 Bad Request\r\n\r\n", Level.WARN),
        ("", b"", Level.WARN),
    ],
)
def test_redis_is_asked_to_answer(login: str, answer: bytes, level: Level) -> None:
    with saying(answer) as port:
        found = reach.redis(f"redis://{login}127.0.0.1:{port}/0")
    assert found.level is level
    assert "hunter2" not in str(found)
    assert ("SETPOINT_HINTS" in found.cure) is (level is Level.WARN)


def test_a_redis_that_is_away_is_only_a_warning() -> None:
    found = reach.redis(f"redis://127.0.0.1:{free_port()}/0")
    assert found.level is Level.WARN
    assert found.said.endswith("Connection refused")


@contextmanager
def saying(answer: bytes) -> Iterator[int]:
    """Somebody who answers whatever is said with the same words, and hangs up."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            talk, _ = listener.accept()
            with talk:
                talk.recv(4096)
                talk.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()
