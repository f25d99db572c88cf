"""A credential can be for use from some networks only."""

import pytest

from setpoint.access.network import lies_in, network


@pytest.mark.parametrize(
    ("address", "networks", "inside"),
    [
        ("192.0.2.7", ("192.0.2.0/24",), True),
        ("192.0.3.7", ("192.0.2.0/24",), False),
        ("192.0.3.7", ("192.0.2.0/24", "192.0.3.7"), True),
        ("::ffff:192.0.2.7", ("192.0.2.0/24",), True),
        ("2001:db8::1", ("2001:db8::/32",), True),
        ("2001:db8::1", ("192.0.2.0/24", "garbage"), False),
        ("", ("0.0.0.0/0",), False),
    ],
)
def test_whether_an_address_lies_in_one_of_them(
    address: str, networks: tuple[str, ...], inside: bool
) -> None:
    assert lies_in(address, networks) == inside


def test_what_is_no_network_is_none() -> None:
    assert network("here") is None
    assert network("192.0.2.1/24") is None
    assert str(network("192.0.2.1")) == "192.0.2.1/32"
