"""Hosts in one spelling, and where a secret is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.access.hosts import Place, agrees_to, canonical_host, place_of, read_place, why_not_sent

PUBLISHED = "https://api.hetzner.cloud/v1"
NAMES = st.from_regex(r"[a-z][a-z0-9]{0,8}(\.[a-z][a-z0-9]{0,8}){1,3}", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("API.Example.org.", "api.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("*.Example.org", "*.example.org"),
        ("api.example.org:8443", "api.example.org:8443"),
        ("[2001:DB8::1]:8443", "[2001:db8::1]:8443"),
        ("2001:db8:0::1", "[2001:db8::1]"),
        ("[::ffff:10.0.0.1]", "10.0.0.1"),
        ("hooks", "hooks"),
    ],
)
def test_a_host_has_one_spelling(text: str, said: str) -> None:
    assert str(read_place(text)) == said


@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "*.", "*.org", "*.10.0.0.1", "a.*.org", "https://a.org", "a.org/x", "a.org:0"),
        *("a.org:99999", "a@b.org", "a b.org", "a..org", "-a.org", "a.org:", "[a.org]", "a\x00.org"),
        *("a.org\\b", "a.org:\u0663"),
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    assert read_place(text) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://api.hetzner.cloud/v1",
        "https://API.hetzner.cloud:443/other",
        "https://api.hetzner.cloud./v1",
        "http://127.0.0.1:7411/v1",
        "http://127.9.9.9/v1",
        "http://localhost:7411/v1",
        "http://[::1]:7411/v1",
        "http://[::ffff:127.0.0.1]:1/v1",
    ],
)
def test_without_hosts_it_serves_the_vendor_and_this_machine(url: str) -> None:
    assert why_not_sent("secret://x", (), url, PUBLISHED) == ""


@pytest.mark.parametrize(
    "url",
    [
        "http://api.hetzner.cloud/v1",  # in clear
        "https://api.hetzner.cloud:8443/v1",
        "https://api.hetzner.cloud.evil.example/v1",
        "https://evil.example/api.hetzner.cloud",
        "https://api.hetzner.cloud@evil.example/v1",
        "https://evil.example\\@api.hetzner.cloud/v1",
        "https://evil.example#@api.hetzner.cloud/v1",
        "https://x.api.hetzner.cloud/v1",
        "https://localhost.evil.example/v1",
        "https://127.0.0.1.evil.example/v1",
        "https://10.0.0.1/v1",
        "https://[::ffff:10.0.0.1]/v1",
        "https:///v1",
        "ftp://127.0.0.1/v1",
        "https://api.hetzner.cloud\t.evil.example/v1",
        "https://аpi.hetzner.cloud/v1",  # noqa: RUF001 - another alphabet is the point
    ],
)
def test_without_hosts_it_goes_nowhere_else(url: str) -> None:
    assert why_not_sent("secret://x", (), url, PUBLISHED) != ""


def test_with_hosts_it_serves_those_alone() -> None:
    hosts = ("*.example.org:8443", "bare.example.org")
    good = ("https://a.example.org:8443/x", "https://bare.example.org", "http://BARE.example.org:99/")
    bad = ("https://a.example.org/x", "https://a.b.example.org:8443", "https://example.org:8443", PUBLISHED)
    assert [url for url in good if why_not_sent("secret://x", hosts, url, PUBLISHED)] == []
    assert [url for url in (*bad, "http://127.0.0.1/") if not why_not_sent("x", hosts, url, PUBLISHED)] == []


SAFE = "https://old.example.org/v1"
CLEAR = "http://old.example.org:8080/v1"


@pytest.mark.parametrize(
    ("host", "before", "url", "agrees"),
    [
        ("a.example.org", SAFE, "https://a.example.org/v1", True),
        ("a.example.org", SAFE, "https://A.example.org.:443/v1", True),
        ("*.example.org", SAFE, "https://a.example.org/v1", True),
        ("a.example.org", SAFE, "http://a.example.org/v1", False),
        ("a.example.org", SAFE, "HTTP://a.example.org:443/v1", False),
        ("a.example.org", SAFE, "http://a.example.org:8080/v1", False),
        ("a.example.org", SAFE, "https://a.example.org:8443/v1", False),
        ("*.example.org", SAFE, "https://a.example.org:8443/v1", False),
        ("a.example.org:8443", SAFE, "https://a.example.org:8443/v1", True),
        ("a.example.org:8443", SAFE, "http://a.example.org:8443/v1", False),
        ("a.example.org:80", SAFE, "http://a.example.org/v1", True),
        ("a.example.org:8080", CLEAR, "http://a.example.org:8080/v1", True),
        ("a.example.org", CLEAR, "https://a.example.org/v1", True),
        ("localhost:8080", "https://localhost:8080/", "http://localhost:8080/v1", True),
        ("localhost", "https://localhost:8080/", "http://localhost:9090/v1", False),
        ("a.example.org", SAFE, "nothing", False),
    ],
)
def test_a_host_agrees_to_tls_at_the_port_that_it_means(
    host: str, before: str, url: str, agrees: bool
) -> None:
    assert agrees_to((host,), before, url) is agrees


def test_the_refusal_names_the_command_that_cures_it() -> None:
    why = why_not_sent("secret://hooks", (), "https://hooks.example.org/in", "")
    assert why.endswith("setpoint secret set hooks --host hooks.example.org:443")


@given(name=NAMES, port=st.integers(1, 65535))
def test_what_is_written_reads_back_the_same(name: str, port: int) -> None:
    place = Place(canonical_host(name), port)
    assert read_place(str(place)) == place
    assert place_of(f"https://{name.upper()}:{port}/x") == place
    assert why_not_sent("s", (str(place),), f"https://{name}:{port}/x", "") == ""
    assert why_not_sent("s", (str(place),), f"https://x{name}:{port}/x", "") != ""


def test_no_long_text_is_written_in_punycode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing 8,000 different characters in punycode takes 17 s: none that is longer than a name is begun."""
    begun: list[str] = []
    monkeypatch.setattr("encodings.idna.ToASCII", begun.append)
    for length in (300, 8_000, 100_000):
        text = "".join(chr(0x4E00 + number % 20_000) for number in range(length))
        assert read_place(text) is None
        assert place_of(f"https://{text}/v1") is None
    assert begun == []
