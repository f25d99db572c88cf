"""Python, packages, descriptors, clock, port and the names of settings."""

import resource
import socket

import pytest

from check.sites import site
from setpoint.check import machine
from setpoint.check.finding import Level
from setpoint.settings import Settings


def test_this_python_is_new_enough() -> None:
    assert machine.python().level is Level.OK


def test_an_old_python_fails() -> None:
    found = machine.python((3, 10, 4))
    assert (found.level, found.said) == (Level.FAIL, "3.10.4; 3.11 is needed")


@pytest.mark.parametrize(
    ("limit", "level"),
    [
        (100, Level.FAIL),
        (255, Level.FAIL),
        (256, Level.WARN),
        (1023, Level.WARN),
        (1024, Level.OK),
        (resource.RLIM_INFINITY, Level.OK),
    ],
)
def test_descriptors_are_counted(limit: int, level: Level) -> None:
    found = machine.descriptors(limit)
    assert found.level is level
    assert ("ulimit -n 65536" in found.cure) is (level is not Level.OK)


def test_the_limit_of_this_process_is_what_counts() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        found = machine.descriptors()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (found.level, found.said) == (Level.FAIL, "200 at once; 1,024 are wanted")


@pytest.mark.parametrize(
    ("ahead", "state", "level"),
    [
        (-86400.0, 0, Level.FAIL),
        (-86400.0, None, Level.FAIL),
        (3600.0, machine.NOT_IN_STEP, Level.WARN),
        (3600.0, 0, Level.OK),
        (3600.0, None, Level.OK),
    ],
)
def test_a_clock_in_the_past_fails_and_one_that_nobody_keeps_is_warned_of(
    ahead: float, state: int | None, level: Level
) -> None:
    found = machine.told_of_clock(ahead, state)
    assert found.level is level
    assert found.cure == ("" if level is Level.OK else "timedatectl set-ntp true")


def test_the_clock_of_this_machine_is_not_in_the_past(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert machine.clock(site(tmp_path)).level is not Level.FAIL


def test_a_port_that_is_taken_fails_with_who_to_ask() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        found = machine.port("127.0.0.1", number)
    assert (found.level, found.said) == (
        Level.FAIL,
        f"cannot listen on 127.0.0.1:{number}: Address already in use",
    )
    assert found.cure == f"--port N or SETPOINT_PORT=N; who has it: ss -ltnp 'sport = :{number}'"
    assert machine.port("127.0.0.1", number).level is Level.OK
    assert machine.port("127.0.0.1", 0).said == "any free one"


def test_an_address_that_is_not_ours_fails() -> None:
    assert machine.port("192.0.2.1", 7410).level is Level.FAIL
    assert machine.port("no.such.host.invalid", 7410).level is Level.FAIL


def test_a_name_that_is_nearly_a_setting_is_told(tmp_path) -> None:  # type: ignore[no-untyped-def]
    environment = {
        "SETPOINT_DATABSE": "postgresql://u:hidden@x/y",
        "SETPOINT_PORT": "1",
        "SETPOINT_TOKEN": "t",
    }
    found = machine.variables(site(tmp_path, environment=environment))
    assert found.level is Level.WARN
    assert found.said == "SETPOINT_DATABSE: no such setting, ignored"
    assert found.cure == "did you mean SETPOINT_DATABASE?"


def test_a_name_that_is_near_nothing_is_to_be_unset(tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = machine.variables(site(tmp_path, environment={"SETPOINT_QQQQQQQQQQQQQQ": "1"}))
    assert found.cure == "unset SETPOINT_QQQQQQQQQQQQQQ"


def test_every_setting_is_known(tmp_path) -> None:  # type: ignore[no-untyped-def]
    environment = {f"SETPOINT_{name.upper()}": "" for name in Settings.__struct_fields__}
    assert machine.variables(site(tmp_path, environment=environment)).level is Level.OK


def test_what_the_settings_need_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Settings(database="postgresql://db/setpoint")
    assert machine.packages(Settings()).level is Level.OK
    monkeypatch.setattr(machine, "find_spec", lambda name: None)
    found = machine.packages(shared)
    assert (found.level, found.said, found.cure) == (
        Level.FAIL,
        "asyncpg not installed",
        'pip install "setpoint[postgres]"',
    )
