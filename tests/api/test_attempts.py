"""Whose tries are counted together: one machine's, those beside it, and a whole network's."""

import pytest

from engine.fake_runtime import FakeRuntime
from setpoint.api.attempts import OF_ONE_ADDRESS, OF_ONE_NETWORK, Attempts, of_place
from setpoint.api.problem import Refused
from setpoint.storage.memory import MemoryStore


@pytest.mark.parametrize(
    ("address", "keys"),
    [
        ("192.0.2.7", ["sign-in:address:192.0.2.7", "sign-in:network:192.0.2.0/24"]),
        ("::ffff:192.0.2.7", ["sign-in:address:192.0.2.7", "sign-in:network:192.0.2.0/24"]),
        ("2001:db8:1:2:3:4:5:6", ["sign-in:address:2001:db8:1:2::/64"]),
        ("2001:db8:1:2::1", ["sign-in:address:2001:db8:1:2::/64"]),
        ("", ["sign-in:address:unknown"]),
    ],
)
def test_tries_are_counted_by_machine_and_network(address: str, keys: list[str]) -> None:
    assert list(of_place(address)) == keys


async def test_a_row_of_machines_waits_though_none_of_them_tried_often() -> None:
    attempts = Attempts(MemoryStore(), FakeRuntime())
    for number in range(OF_ONE_NETWORK):
        await attempts.take(of_place(f"192.0.2.{number}"))
    with pytest.raises(Refused, match="too many tries"):
        await attempts.take(of_place("192.0.2.250"))
    await attempts.take(of_place("192.0.3.1"))


async def test_all_addresses_of_a_network_of_ipv6_are_one() -> None:
    attempts = Attempts(MemoryStore(), FakeRuntime())
    for number in range(OF_ONE_ADDRESS):
        await attempts.take(of_place(f"2001:db8:1:2::{number:x}"))
    with pytest.raises(Refused, match="too many tries"):
        await attempts.take(of_place("2001:db8:1:2:ffff::1"))
    await attempts.take(of_place("2001:db8:1:3::1"))
