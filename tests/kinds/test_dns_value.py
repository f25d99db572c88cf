"""Values of records: what is taken, what is refused with which words, and that equal ones are spelt alike."""

import ipaddress
import unicodedata
from collections.abc import Callable
from typing import Any, get_args

import dns.exception
import dns.name
import dns.rdata
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from setpoint.capabilities.dns import RecordType
from setpoint.kinds.dns_value import FORMS, normal_value, read_value

ZONE = "example.org"
ORIGIN = dns.name.from_text(ZONE)
LONG = "v=DKIM1; k=rsa; p=" + "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A" * 20

UNSEEN = ["a\tb", "10\u00a0km", "\u00a0", "👩\u200d💻", "zero\u200bwidth", "\ufeffmark", '"a\tb\u00a0"']
GOOD = {
    "A": ["192.0.2.10", " 192.0.2.10 "],
    "AAAA": ["2001:db8::10", "2001:DB8:0:0::10", "::ffff:192.0.2.1"],
    "CAA": [
        '0 issue "letsencrypt.org"',
        "0 issue letsencrypt.org",
        '0 issue ";"',
        '128 iodef "mailto:a@b.org"',
    ],
    "CNAME": [
        "www.example.net.",
        "www",
        "@",
        "_acme.example.net.",
        "bücher.example.net.",
        "10.0/25.example.net.",
    ],
    "DS": ["60485 8 2 " + "2BB1" * 16, "60485 5 1 " + "2bb1 83af" * 5],
    "HINFO": ['"x86_64" "Linux"', "x86_64 Linux"],
    "HTTPS": ["1 . alpn=h3,h2 ipv4hint=192.0.2.1", "0 www.example.net."],
    "MX": ["10 mail.example.net.", "0 .", "10 mail", "10\tmail.example.net."],
    "NS": ["ns1.example.net."],
    "PTR": ["host.example.net."],
    "RP": ["ann.smith.example.net. .", r"ann\.smith.example.net. info.example.net."],
    "SRV": ["0 5 5060 sip.example.net.", "0 0 0 ."],
    "SVCB": ["1 svc.example.net. port=8443"],
    "TLSA": ["3 1 1 " + "ab" * 32, "3 1 1 " + "AB" * 16 + " " + "AB" * 16],
    "TXT": [
        "v=spf1 -all",
        '"v=spf1 -all"',
        LONG,
        '""',
        'say "hi"',
        r"back\slash",
        '"a" "b"',
        "größe",
        *UNSEEN,
    ],
}
BAD = {
    "A": [
        "300.1.2.3",
        "1.2.3",
        "2001:db8::1",
        "www",
        "01.2.3.4",
        "192.0.2.1 192.0.2.2",
        "192.0.2.1\n192.0.2.2",
        "192.0.2.1 ; web",
    ],
    "AAAA": ["1.2.3.4", "2001::db8::1", "fe80::1%eth0", "x"],
    "CAA": ["letsencrypt.org", "0 issue", "256 issue x", '0 iss-ue "x"'],
    "CNAME": [
        "www.example.net",
        "192.0.2.1",
        "http://example.net/.",
        "a b",
        "a..b.",
        ".",
        "www.example.net\u00a0.",
        "www\u200d.example.net.",
        "two. names.",
        "-a.net.",
    ],
    "DS": ["60485 5 1 2BB1", "x"],
    "HINFO": ["one", "a b c"],
    "HTTPS": ["alpn=h2", "70000 .", "1 . alpn"],
    "MX": [
        "mail.example.net.",
        "70000 mail.example.net.",
        "10 mail.example.net",
        "10 192.0.2.1",
        "-1 mail",
        "10 .",
    ],
    "NS": ["ns1.example.net", "192.0.2.53.", "."],
    "PTR": ["host.example.net"],
    "RP": ["ann@example.net", "ann.example.net."],
    "SRV": ["5060 sip.example.net.", "0 5 70000 sip.example.net.", "0 5 5060 sip.example.net"],
    "SVCB": ["1", "1 svc.example.net. port=x"],
    "TLSA": ["3 1 1 xyz", "3 1 1", "300 1 1 ab"],
    "TXT": [
        '"open',
        '"a" b',
        '"a" ; b',
        "line\nbreak",
        '"a"\n"b"',
        "bell\a",
        '"bell\a"',
        "next\u0085",
        "line\u2028",
    ],
}
EVERY_TYPE: list[Any] = sorted(get_args(RecordType))


def pairs(table: dict[str, list[str]]) -> list[Any]:
    return [pytest.param(kind, text, id=f"{kind} {text[:30]!a}") for kind in table for text in table[kind]]


def test_every_type_has_its_words_and_its_examples() -> None:
    assert sorted(FORMS) == sorted(GOOD) == sorted(BAD) == EVERY_TYPE


@pytest.mark.parametrize(("kind", "text"), pairs(GOOD))
def test_a_good_value_is_taken_and_its_spelling_is_read_by_dnspython(kind: RecordType, text: str) -> None:
    spelt = read_value(kind, text)
    assert read_value(kind, spelt) == spelt
    assert dns.rdata.from_text("IN", kind, spelt)


@pytest.mark.parametrize(("kind", "text"), pairs(BAD))
def test_a_bad_value_is_refused_with_what_to_write(kind: RecordType, text: str) -> None:
    with pytest.raises(ValueError, match=r"(?s)^.+ (is|has|holds|begins) .+; .*(write|points to) .+"):
        read_value(kind, text)


@pytest.mark.parametrize("kind", EVERY_TYPE)
@pytest.mark.parametrize("text", ["", " "])
def test_nothing_is_refused_with_what_to_write(kind: RecordType, text: str) -> None:
    with pytest.raises(ValueError, match="is empty; write "):
        read_value(kind, text)


def test_a_wrong_address_is_told_in_plain_words() -> None:
    with pytest.raises(ValueError, match="300") as refusal:
        read_value("A", "300.1.2.3")
    assert str(refusal.value) == (
        "300.1.2.3 is not an IPv4 address; write four numbers from 0 to 255, e.g. 192.0.2.10"
    )


def test_what_was_stored_without_a_check_is_compared_as_dns_has_it_or_as_it_stands() -> None:
    assert normal_value("A", "300.1.2.3", ZONE) == "300.1.2.3"
    assert normal_value("TXT", '"a\u2028b"', ZONE) == normal_value("TXT", r'"a\226\128\168b"', ZONE)
    assert normal_value("A", "192.0.2.1\n192.0.2.2", ZONE) == "192.0.2.1\n192.0.2.2"
    assert normal_value("LOC", "52 22 23 N", ZONE) == "52 22 23 N"
    assert normal_value("CNAME", "www.example.net", ZONE) == "www.example.net.example.org."
    assert normal_value("CNAME", "x" * 60 + ".", "y" * 260) == "x" * 60 + "."


labels = st.from_regex(r"\A[a-z]([a-z0-9-]{0,10}[a-z0-9])?\Z").filter(lambda label: "--" not in label)
hosts = st.lists(labels, min_size=1, max_size=4).map(lambda parts: ".".join(parts) + ".")
numbers = st.integers(0, 65535).map(str)
bytes_ = st.integers(0, 255).map(str)
hexes = st.binary(min_size=1, max_size=300).map(bytes.hex)
plain = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp", "Zs"], include_characters=" ")
)
quoted = plain.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')


def spaced(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(" ".join)


DIGESTS = {"1": 20, "2": 32, "4": 48}
VALUES: dict[str, st.SearchStrategy[str]] = {
    "A": st.ip_addresses(v=4).map(str),
    "AAAA": st.ip_addresses(v=6).map(str),
    "CAA": spaced(
        bytes_, st.from_regex(r"\A[a-zA-Z0-9]{1,15}\Z"), quoted.filter(lambda text: len(text) < 99)
    ),
    "CNAME": hosts,
    "DS": st.sampled_from(sorted(DIGESTS)).flatmap(
        lambda kind: spaced(
            numbers,
            bytes_,
            st.just(kind),
            st.binary(min_size=DIGESTS[kind], max_size=DIGESTS[kind]).map(bytes.hex),
        )
    ),
    "HINFO": spaced(*[st.from_regex(r'\A"[a-zA-Z0-9 ]{0,40}"\Z')] * 2),
    "HTTPS": spaced(st.integers(1, 65535).map(str), hosts | st.just("."), st.just("alpn=h2,h3 port=443")),
    "MX": spaced(numbers, hosts),
    "NS": hosts,
    "PTR": hosts,
    "RP": spaced(hosts, hosts | st.just(".")),
    "SRV": spaced(numbers, numbers, numbers, hosts | st.just(".")),
    "SVCB": spaced(
        st.integers(1, 65535).map(str), hosts, st.ip_addresses(v=4).map(lambda ip: f"ipv4hint={ip}")
    ),
    "TLSA": spaced(bytes_, bytes_, st.just("0"), hexes)
    | spaced(bytes_, bytes_, st.just("1"), st.binary(min_size=32, max_size=32).map(bytes.hex)),
    "TXT": st.lists(quoted.filter(lambda text: len(text.encode()) < 250), min_size=1, max_size=3).map(
        " ".join
    ),
}


def wire(kind: str, text: str) -> bytes:
    """What goes over the network for this text, as dnspython has it."""
    return dns.rdata.from_text("IN", kind, text, ORIGIN, False).to_digestable(ORIGIN)


@st.composite
def values(draw: st.DrawFn) -> tuple[str, str]:
    kind = draw(st.sampled_from(EVERY_TYPE))
    return kind, draw(VALUES[kind])


@given(values())
def test_the_one_spelling_means_what_was_written(value: tuple[Any, str]) -> None:
    kind, text = value
    spelt = normal_value(kind, read_value(kind, text), ZONE)
    assert normal_value(kind, spelt, ZONE) == spelt
    if kind not in (
        "CAA",
        "RP",
        "SRV",
        "HTTPS",
        "SVCB",
    ):  # Of these the digestable form keeps the letters' case.
        assert wire(kind, spelt) == wire(kind, text)
    assert wire(kind, spelt).lower() == wire(kind, text).lower()


@given(st.data())
def test_values_are_spelt_alike_only_if_they_are_equal(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(EVERY_TYPE))
    one, other = data.draw(VALUES[kind]), data.draw(VALUES[kind])
    assume(wire(kind, one).lower() != wire(kind, other).lower())
    assert normal_value(kind, one, ZONE) != normal_value(kind, other, ZONE)


LOUD: dict[str, Callable[[str], str]] = {
    "AAAA": lambda text: ipaddress.IPv6Address(text).exploded.upper(),
    "TLSA": lambda text: text[:-2].upper() + " " + text[-2:],
    **dict.fromkeys(["CNAME", "DS", "MX", "NS", "PTR", "RP", "SRV"], str.upper),
}


@given(st.data())
def test_another_spelling_of_a_value_is_the_same_value(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(EVERY_TYPE))
    text = data.draw(VALUES[kind])
    other = (
        "  "
        + LOUD.get(kind, str)(text).replace(" ", "   " if kind not in ("TXT", "CAA", "HINFO") else " ")
        + "\n"
    )
    assert normal_value(kind, other, ZONE) == normal_value(kind, text, ZONE)


@given(labels, st.sampled_from(["CNAME", "NS", "PTR"]))
def test_a_name_in_the_zone_is_the_same_with_and_without_it(label: str, kind: Any) -> None:
    assert read_value(kind, label)
    assert normal_value(kind, label, ZONE) == normal_value(kind, f"{label.upper()}.Example.ORG.", ZONE)
    assert normal_value("CNAME", "@", ZONE) == "example.org."


@given(st.sampled_from([kind for kind in EVERY_TYPE if kind != "TXT"]), st.text() | plain)
def test_what_is_taken_is_what_dnspython_takes(kind: Any, text: str) -> None:
    try:
        spelt = read_value(kind, text)
    except ValueError:
        return
    assert wire(kind, spelt).lower() == wire(kind, text.strip()).lower()


@given(plain)
def test_plain_text_is_quoted_escaped_and_cut_for_the_provider(text: str) -> None:
    assume(text.strip() and not text.strip().startswith('"'))
    strings = dns.rdata.from_text("IN", "TXT", read_value("TXT", text)).strings  # type: ignore[attr-defined]
    assert b"".join(strings) == text.strip().encode()
    assert all(len(string) == 255 for string in strings[:-1])
    assert len(strings[-1]) <= 255


@given(plain)
def test_text_in_quotes_means_the_text(text: str) -> None:
    written = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    same = not text.startswith('"') and text == text.strip() and text
    strings = dns.rdata.from_text("IN", "TXT", read_value("TXT", written)).strings  # type: ignore[attr-defined]
    assert b"".join(strings) == text.encode()
    assert not same or read_value("TXT", written) == read_value("TXT", text)


def test_strings_that_stand_apart_stay_apart() -> None:
    assert read_value("TXT", '"path=/" "user=ann"') == '"path=/" "user=ann"'
    assert read_value("TXT", '"path=/user=ann"') == '"path=/user=ann"'


@given(st.text(min_size=1))
def test_every_text_goes_to_dns_byte_for_byte_or_holds_what_steers_a_terminal(text: str) -> None:
    text = text.strip(" \t\r\n")
    assume(text and not text.startswith('"'))
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char != "\t" for char in text):
        with pytest.raises(ValueError, match="holds a line break or a control character; write"):
            read_value("TXT", text)
        return
    spelt = read_value("TXT", text)
    assert spelt.isascii()
    assert spelt.isprintable()
    assert read_value("TXT", spelt) == normal_value("TXT", text, ZONE) == spelt
    assert b"".join(dns.rdata.from_text("IN", "TXT", spelt).strings) == text.encode()  # type: ignore[attr-defined]


def test_what_cannot_be_seen_is_called_so_where_it_is_no_text() -> None:
    with pytest.raises(ValueError, match=r"holds U\+00A0, which cannot be seen; write it without"):
        read_value("MX", "10\u00a0mail.example.net.")
