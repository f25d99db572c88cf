"""How many connections there may be and how long each may take, decided on a clock of the test's own."""

import pytest

from setpoint.api.connections import IDLE_SECONDS, STUCK_SECONDS, Allowance, Connections, Stage, allowance
from setpoint.settings import Settings


class Line:
    """A connection that only remembers."""

    def __init__(self, stage: Stage = Stage.HEAD, since: float = 0.0, waiting: int = 0) -> None:
        self.stage, self.since, self.waiting, self.ended = stage, since, waiting, False

    def unsent(self) -> int:
        return self.waiting

    def end(self) -> None:
        self.ended = True


@pytest.mark.parametrize(
    ("settings", "files", "expected"),
    [
        (Settings(), 65_536, (49_152, 12_288)),
        (Settings(), 1_024, (768, 192)),
        (Settings(), 200, (136, 34)),
        (Settings(), 10, (1, 1)),
        (Settings(connections=500), 65_536, (500, 125)),
        (Settings(connections=500), 400, (300, 75)),
        (Settings(connections=500, connections_per_address=900), 65_536, (500, 500)),
    ],
)
def test_files_are_left_for_the_store_and_the_providers(
    settings: Settings, files: int, expected: tuple[int, int]
) -> None:
    found = allowance(settings, files)
    assert (found.all, found.per_address) == expected


@pytest.mark.parametrize(
    ("one", "same", "another"),
    [
        ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"),
        ("2001:db8::1", "2001:db8::ffff", "2001:db8:0:1::1"),
        ("fe80::1%eth0", "fe80::2%eth1", "fe81::1"),
        ("", "", "192.0.2.1"),
    ],
)
def test_an_address_has_its_share_however_it_is_spelt(one: str, same: str, another: str) -> None:
    connections = Connections(Allowance(all=4, per_address=1))
    first = Line()
    assert not connections.admit(first, one)
    assert "1 connections are open from" in connections.admit(Line(), same)
    assert not connections.admit(Line(), another)
    connections.forget(first)
    connections.forget(first)
    assert not connections.admit(Line(), same)


def test_a_proxy_has_no_share_of_its_own_but_all_have_an_end() -> None:
    connections = Connections(Allowance(all=3, per_address=1, behind=lambda address: address == "10.0.0.1"))
    assert not any(connections.admit(Line(), "10.0.0.1") for _ in range(3))
    assert connections.admit(Line(), "10.0.0.1").startswith("3 connections are open")


@pytest.mark.parametrize(
    ("stage", "seconds"), [(Stage.HEAD, 15.0), (Stage.BODY, 60.0), (Stage.IDLE, IDLE_SECONDS)]
)
def test_each_stage_has_its_deadline(stage: Stage, seconds: float) -> None:
    connections, line = Connections(Allowance()), Line(stage, since=100.0)
    connections.admit(line, "192.0.2.1")
    connections.end_late(100.0 + seconds)
    assert not line.ended
    connections.end_late(100.1 + seconds)
    assert line.ended


def test_an_answer_may_take_as_long_as_it_takes_while_something_goes_out() -> None:
    connections, line = Connections(Allowance()), Line(Stage.ANSWER, waiting=100)
    connections.admit(line, "192.0.2.1")
    for now in range(0, 1_000, 10):
        line.waiting = 1_000 - now
        connections.end_late(float(now))
    assert not line.ended
    connections.end_late(990.0 + STUCK_SECONDS)
    assert not line.ended
    connections.end_late(991.0 + STUCK_SECONDS)
    assert line.ended
