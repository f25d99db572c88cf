"""`assert_loop` on loops over a real Redis, by a client that keeps its connections."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from processes import free_port
from real.parts import part
from setpoint.loop import Keyed, assert_loop

pytestmark = pytest.mark.real


@pytest.fixture
def client(tmp_path: Path) -> Iterator["redis.Redis"]:
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    quiet = subprocess.DEVNULL
    command = [part("redis-server", "redis-server"), *options]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=quiet, stderr=quiet)  # noqa: S603 - a real part
    try:
        with redis.Redis(port=port, decode_responses=True) as found:
            while True:
                with contextlib.suppress(redis.ConnectionError):
                    found.ping()
                    break
            yield found
    finally:
        server.kill()
        server.wait()


def keys(client: "redis.Redis") -> type[Keyed]:
    class Keys(Keyed):
        def desired(self) -> Any:
            return {"a": {"size": 1}, "b": {"size": 2}}

        def observe(self) -> Any:
            return {key: json.loads(client.get(key)) for key in client.scan_iter()}

        def put(self, key: str, value: Any) -> None:
            client.set(key, json.dumps(value))

        def delete(self, key: str) -> None:
            client.delete(key)

    return Keys


def test_a_sound_loop_is_tested_through_and_passes(client: "redis.Redis") -> None:
    report = assert_loop(keys(client), crash_points=30)
    assert {"unreachable", "partial", "failures are told", "failures harm nobody"} <= {*report.passed}
    assert client.dbsize() == 0


def test_an_observation_that_swallows_its_errors_fails(client: "redis.Redis") -> None:
    class Swallows(keys(client)):  # type: ignore[misc]
        def observe(self) -> Any:
            try:
                return super().observe()
            except Exception:  # noqa: BLE001 - the very mistake
                return {}

    with pytest.raises(
        AssertionError, match=r"unreachable: .*\n +observe\(\) answered \{\}, .* keys missing"
    ):
        assert_loop(Swallows, crash_points=6)


def test_a_put_that_swallows_its_errors_fails(client: "redis.Redis") -> None:
    class Swallows(keys(client)):  # type: ignore[misc]
        def put(self, key: str, value: Any) -> None:
            with contextlib.suppress(Exception):
                super().put(key, value)

    with pytest.raises(
        AssertionError, match=r"failures are told: .*\n +put\('a2', .* ended well while sending"
    ):
        assert_loop(Swallows, crash_points=6)
