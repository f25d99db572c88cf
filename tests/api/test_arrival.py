"""The client's address behind proxies, and the names that are ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.access.hosts import Place, read_place
from setpoint.api.arrival import (
    UNKNOWN,
    Arrival,
    client_of,
    is_ours,
    read_client,
    read_forwarded,
    read_forwarded_for,
)

PROXIES = ("10.0.0.0/8", "fd00::/8")
OURS = (Place("setpoint.example.org"), Place("internal.example", 7410, pattern=True))
ADDRESSES = st.ip_addresses().map(str)


def scope(peer: str, **headers: str) -> dict[str, object]:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "path": "/v1/me", "client": (peer, 4711), "headers": sent}


@pytest.mark.parametrize(
    ("peer", "sent", "client"),
    [
        ("127.0.0.1", "192.0.2.7", "127.0.0.1"),  # Loopback is no proxy by itself.
        ("192.0.2.9", "192.0.2.7", "192.0.2.9"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "6.6.6.6, 192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "6.6.6.6, 192.0.2.7, 10.0.0.2", "192.0.2.7"),
        ("10.0.0.1", "192.0.2.7:4711", "192.0.2.7"),
        ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("::ffff:10.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "6.6.6.6, unknown", "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6, , 10.0.0.3", "10.0.0.3"),
    ],
)
def test_the_rightmost_that_is_no_proxy_is_the_client(peer: str, sent: str, client: str) -> None:
    here = scope(peer, x_forwarded_for=sent) if sent else scope(peer)
    assert Arrival(PROXIES).noted(here) is None
    assert here["client"][0] == client  # type: ignore[index]


@given(peer=ADDRESSES, claimed=st.lists(st.text(max_size=20) | ADDRESSES, max_size=5))
def test_without_trusted_proxies_nothing_that_is_sent_counts(peer: str, claimed: list[str]) -> None:
    assert client_of(peer, claimed, ()) == peer


@given(claimed=st.lists(st.text(max_size=20) | ADDRESSES, max_size=5))
def test_what_a_client_claims_before_its_own_address_changes_nothing(claimed: list[str]) -> None:
    assert client_of("10.0.0.1", [*claimed, "192.0.2.7"], PROXIES) == "192.0.2.7"


def test_both_headers_are_read_line_by_line() -> None:
    forwarded = b'for=6.6.6.6, for="[2001:db8::7]:4711";proto=https'
    hops = read_forwarded([(b"forwarded", forwarded)])
    assert client_of("10.0.0.1", hops, PROXIES) == "2001:db8::7"
    lines = [(b"x-forwarded-for", b"6.6.6.6"), (b"x-forwarded-for", b"192.0.2.7")]
    assert read_forwarded_for(lines) == ["6.6.6.6", "192.0.2.7"]
    assert (read_forwarded_for([]), read_forwarded([])) == ([], [])


@pytest.mark.parametrize(
    ("older", "newer", "client"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("", "for=192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "for=192.0.2.7", "192.0.2.7"),
        ("192.0.2.7, 10.0.0.2", 'by=x;for="192.0.2.7:4711"', "192.0.2.7"),  # Not each hop, but the client.
        ("192.0.2.7", "for=6.6.6.6", UNKNOWN),
        ("192.0.2.7", "for=10.0.0.1", UNKNOWN),
        ("10.0.0.1", "for=192.0.2.7", UNKNOWN),
        ("192.0.2.7", "for=_hidden", UNKNOWN),
        ("192.0.2.7", "nothing", UNKNOWN),
    ],
)
def test_where_the_two_headers_disagree_neither_is_believed(older: str, newer: str, client: str) -> None:
    sent = {name: each for name, each in (("x_forwarded_for", older), ("forwarded", newer)) if each}
    here = scope("10.0.0.1", **sent)
    assert Arrival(PROXIES).noted(here) is None
    assert here["client"][0] == client  # type: ignore[index]
    # Who is no proxy of ours is told apart by nothing that it sends.
    assert read_client(here["headers"], "192.0.2.9", PROXIES) == "192.0.2.9"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("setpoint.example.org", True),
        ("SETPOINT.example.org.:443", True),
        ("a.internal.example:7410", True),
        ("a.internal.example", False),
        ("localhost:7410", True),
        ("127.0.0.1:7410", True),
        ("[::1]:7410", True),
        ("10.1.2.3:7410", True),
        ("evil.example:7410", False),
        ("setpoint.example.org.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("*.internal.example:7410", False),
        ("a b", False),
    ],
)
def test_only_our_own_names_and_addresses_are_answered(host: str, ours: bool) -> None:
    assert is_ours(host, OURS) is ours
    refused = Arrival((), OURS).noted(scope("127.0.0.1", host=host))
    assert (refused is None) is ours
    assert refused is None or (refused.status, "ALLOWED_HOSTS" in str(refused.more)) == (421, True)


def test_probes_are_answered_by_any_name() -> None:
    probe = scope("10.0.0.9", host="evil.example") | {"path": "/livez"}
    assert Arrival((), OURS).noted(probe) is None
    assert read_place("evil.example") is not None


def test_each_host_that_is_sent_has_to_be_ours() -> None:
    for hosts in (("localhost", "evil.example"), ("evil.example", "localhost")):
        sent = scope("127.0.0.1")
        sent["headers"] = [(b"host", host.encode()) for host in hosts]
        assert Arrival((), OURS).noted(sent) is not None
