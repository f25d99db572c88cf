"""`assert_loop` on loops that keep a connection: it is cut, and what could not be tested is no pass."""

import contextlib
import json
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from setpoint.loop import Keyed, Transient, assert_loop

WANTED = {"a": {"size": 1}, "b": {"size": 2}}


class Shelf(socketserver.ThreadingTCPServer):
    """A small service: one line of JSON in, one out; connections are kept."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Visitor)
        self.world: dict[str, Any] = {}


class Visitor(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        world = self.server.world  # type: ignore[attr-defined]
        for line in self.rfile:
            method, *args = json.loads(line)
            if method == "put":
                world[args[0]] = args[1]
            elif method == "delete":
                world.pop(args[0], None)
            self.wfile.write(json.dumps(dict(world)).encode() + b"\n")


class Client:
    """Keeps its connections for the life of the program, one for each call; a broken one is not kept."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address
        self.free: list[socket.socket] = []
        self.made: list[socket.socket] = []

    def ask(self, *words: Any) -> dict[str, Any]:
        connection = self._take()
        try:
            connection.sendall(json.dumps(words).encode() + b"\n")
            with connection.makefile() as lines:
                answer: dict[str, Any] = json.loads(lines.readline())
        except BaseException:  # The rest of the answer would be read as the answer to the next call.
            connection.close()
            raise
        self.free.append(connection)
        return answer

    def close(self) -> None:
        """Closes also those that a call never gave back, as one does that is stopped in the middle."""
        for connection in self.made:
            connection.close()

    def _take(self) -> socket.socket:
        with contextlib.suppress(IndexError):
            return self.free.pop()
        connection = socket.create_connection(self.address)
        self.made.append(connection)
        return connection


@pytest.fixture
def client() -> Iterator[Client]:
    with Shelf() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        found = Client(server.server_address)  # type: ignore[arg-type]
        found.ask("list")  # The connection is there before any loop is.
        yield found
        found.close()
        server.shutdown()
        thread.join()


def keeping(client: Client) -> type[Keyed]:
    class Kept(Keyed):
        def desired(self) -> Any:
            return WANTED

        def observe(self) -> Any:
            return client.ask("list")

        def put(self, key: str, value: Any) -> None:
            client.ask("put", key, value)

        def delete(self, key: str) -> None:
            client.ask("delete", key)

    return Kept


def found(error: AssertionError) -> list[str]:
    lines = [line for line in str(error).splitlines() if line[:1].isdigit()]
    return [line.partition(". ")[2].partition(":")[0] for line in lines]


def test_a_sound_loop_with_a_kept_connection_is_tested_through_and_passes(client: Client) -> None:
    report = assert_loop(keeping(client), crash_points=30)
    assert {"unreachable", "failures are told", "failures harm nobody", "exceptions"} <= {*report.passed}


def test_an_observation_that_swallows_a_cut_connection_fails(client: Client) -> None:
    class Swallows(keeping(client)):  # type: ignore[misc]
        def observe(self) -> Any:
            try:
                return super().observe()
            except OSError:
                return {}

    with pytest.raises(AssertionError, match=r"observe\(\) answered .* while sending to .* failed") as caught:
        assert_loop(Swallows, crash_points=6)
    assert "unreachable" in found(caught.value)


def test_a_put_that_swallows_a_cut_connection_fails(client: Client) -> None:
    class Swallows(keeping(client)):  # type: ignore[misc]
        def put(self, key: str, value: Any) -> None:
            with contextlib.suppress(OSError):
                super().put(key, value)

    with pytest.raises(AssertionError) as caught:
        assert_loop(Swallows, crash_points=6)
    assert "failures are told" in found(caught.value)


def test_what_cannot_be_made_to_fail_is_no_pass_unless_somebody_says_why() -> None:
    world: dict[str, Any] = {}

    class Memory(Keyed):
        def desired(self) -> Any:
            return WANTED

        def observe(self) -> Any:
            return dict(world)

        def put(self, key: str, value: Any) -> None:
            world[key] = value

        def delete(self, key: str) -> None:
            world.pop(key, None)

    with pytest.raises(AssertionError, match="could not be tested: what observe reads") as caught:
        assert_loop(Memory, crash_points=6)
    assert found(caught.value) == ["unreachable"]
    assert 'accept={"unreachable": "why, and how"}' in str(caught.value)
    report = assert_loop(Memory, crash_points=6, accept={"unreachable": "tested against the real thing"})
    assert ("unreachable", "tested against the real thing") in report.accepted
    assert "failures are told" in dict(report.skipped)


def test_what_is_read_is_tested_even_where_what_is_wanted_comes_from_a_file(
    client: Client, tmp_path: Any
) -> None:
    """That `desired` can be made to fail says nothing about `observe`."""
    file = tmp_path / "wanted.json"
    file.write_text(json.dumps(WANTED))
    world: dict[str, Any] = {}

    class Mixed(keeping(client)):  # type: ignore[misc]
        def desired(self) -> Any:
            return json.loads(file.read_text())

        def observe(self) -> Any:
            return dict(world)

        def put(self, key: str, value: Any) -> None:
            world[key] = value

        def delete(self, key: str) -> None:
            world.pop(key, None)

    with pytest.raises(AssertionError, match="what observe reads could not be made to fail"):
        assert_loop(Mixed, crash_points=6)


def test_keys_that_are_not_ours_may_change_and_are_not_put_back(client: Client) -> None:
    """As the serial of a zone does, which rises with every write."""

    class Zone(keeping(client)):  # type: ignore[misc]
        def put(self, key: str, value: Any) -> None:
            super().put(key, value)
            self._count()

        def delete(self, key: str) -> None:
            if key == "soa":
                raise PermissionError("the serial is not yours")
            super().delete(key)
            self._count()

        def mine(self, key: str, value: Any) -> bool:
            return key != "soa"

        def _count(self) -> None:
            client.ask("put", "soa", {"serial": time.monotonic_ns()})

    for before in ({}, {"soa": {"serial": 1}, "other": {"size": 9}}):
        for key, value in before.items():
            client.ask("put", key, value)
        report = assert_loop(Zone, crash_points=6)
        assert (report.findings, report.left) == ((), "")
        assert client.ask("list").keys() - {"soa"} == before.keys() - {"soa"}


def test_what_is_to_be_tried_again_is_tried_again(client: Client) -> None:
    """As a database says that is locked by whoever died a moment ago."""
    refusals = iter(range(10_000))

    class Locked(keeping(client)):  # type: ignore[misc]
        def put(self, key: str, value: Any) -> None:
            if next(refusals) % 2:
                raise Transient("the database is locked")
            super().put(key, value)

    report = assert_loop(Locked, crash_points=6)
    assert "again after a crash" in report.passed
