"""Values of records: what each type may hold, and the one spelling of each value, by the rules of dnspython.

People write plain text in a TXT record; quotes, escapes and pieces of 255 bytes are added here. Text that is
quoted already means what it says. Names in values are absolute with a final dot, or one label of the zone.
dnspython takes as long to load as all of the API: this module is imported by the functions that call it.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
from dns.rdtypes.ANY.TXT import TXT
from msgspec import Struct

from setpoint.capabilities.dns import RecordType
from setpoint.kinds.dns_name import shorten
from setpoint.words import add_article

IDNA: Final = dns.name.IDNA_2008_Practical
SPACES: Final = " \t\r\n"  # What people leave around a value; a no-break space is meant.
PIECE: Final = 255  # Bytes of one string of a TXT record (RFC 1035).
_HOST_LABEL: Final = re.compile(rb"[a-z0-9_]([a-z0-9_/-]*[a-z0-9_])?")
STEERING: Final = ("Cc", "Cs", "Zl", "Zp")  # Controls, halves of a character, and line ends.
_NUMBER: Final = "0 to 65535"
_SERVICE: Final = f"a priority from {_NUMBER}, a name or a dot, and parameters, e.g. 1 . alpn=h2,h3"


class Form(Struct, frozen=True):
    """How a value of one type is written; `names` are its parts that name something else in DNS."""

    noun: str
    rule: str
    names: tuple[str, ...] = ()
    mailbox: str = ""  # The one of the names whose first label is not a host's.


FORMS: Final[Mapping[str, Form]] = {
    "A": Form("an IPv4 address", "four numbers from 0 to 255, e.g. 192.0.2.10"),
    "AAAA": Form("an IPv6 address", "groups of hexadecimal digits, e.g. 2001:db8::10"),
    "CAA": Form("a CAA value", 'a flag from 0 to 255, a tag and a quoted text, e.g. 0 issue "example.net"'),
    "CNAME": Form("a CNAME value", "one name with a final dot, e.g. www.example.net.", ("target",)),
    "DS": Form("a DS value", "key tag, algorithm, digest type and a digest of that type in hexadecimal"),
    "HINFO": Form("an HINFO value", 'two texts in quotes, e.g. "x86_64" "Linux"'),
    "HTTPS": Form("an HTTPS value", _SERVICE, ("target",)),
    "MX": Form(
        "an MX value", f"a priority from {_NUMBER} and a name, e.g. 10 mail.example.net.", ("exchange",)
    ),
    "NS": Form("an NS value", "one name with a final dot, e.g. ns1.example.net.", ("target",)),
    "PTR": Form("a PTR value", "one name with a final dot, e.g. host.example.net.", ("target",)),
    "RP": Form(
        "an RP value", "a mailbox as a name and a name, e.g. ann.example.net. .", ("mbox", "txt"), "mbox"
    ),
    "SRV": Form(
        "an SRV value",
        f"priority, weight and port, each from {_NUMBER}, and a name, e.g. 10 5 5060 sip.example.net.",
        ("target",),
    ),
    "SVCB": Form("an SVCB value", _SERVICE, ("target",)),
    "TLSA": Form("a TLSA value", "usage, selector and type, each from 0 to 255, and hexadecimal digits"),
    "TXT": Form("a text", 'plain text, or strings in quotes, e.g. v=spf1 -all or "v=spf1 -all"'),
}


def read_value(kind: RecordType, text: str) -> str:
    """Returns the one spelling of a value; raises ValueError with the sentence for who wrote it."""
    if not text.strip(SPACES):
        raise ValueError(f"the value is empty; write {FORMS[kind].rule}")
    _check_one_line(text.strip(SPACES))
    data = _parsed(kind, text)
    for field in FORMS[kind].names:
        _check_target(kind, field, getattr(data, field))
    _check_root(kind, data)
    return _spelt(kind, data)


@functools.lru_cache(maxsize=2**17)
def normal_value(kind: str, text: str, domain: str) -> str:
    """Returns the one spelling of a value that is stored or seen; what cannot be read stays as it is.

    Names are made absolute. Every pass asks this about every value of a zone, hence the memory of answers.
    """
    try:
        return _spelt(kind, _parsed(kind, text), dns.name.from_text(domain))
    except (KeyError, ValueError, dns.exception.DNSException):
        return text


def encode_label(label: str) -> str:
    """Returns the ASCII form of one label of a name (IDNA 2008); raises ValueError where it has none."""
    try:
        return IDNA.encode(label).decode()
    except dns.exception.DNSException as error:
        raise ValueError(str(error)) from error


def _parsed(kind: str, text: str) -> dns.rdata.Rdata:
    """The value as dnspython reads it, relative names as they are."""
    form, text = FORMS[kind], text.strip(SPACES)
    if kind == "TXT":
        return TXT(dns.rdataclass.IN, dns.rdatatype.TXT, tuple(_pieces(text)))
    if hidden := next((char for char in text.replace("\t", " ") if not char.isprintable()), ""):
        raise ValueError(f"{shorten(text)} holds U+{ord(hidden):04X}, which cannot be seen; write it without")
    try:
        data = dns.rdata.from_text("IN", kind, text, relativize=False, idna_codec=IDNA)
    except (dns.exception.DNSException, ValueError) as error:
        raise ValueError(f"{shorten(text)} is not {form.noun}; write {form.rule}") from error
    if data.rdcomment is not None:
        raise ValueError(f"{shorten(text)} holds a comment after a semicolon; write the value alone")
    return data


def _check_one_line(text: str) -> None:
    """Raises for what ends a line or steers a terminal. A tab, and what only cannot be seen, is text."""
    steering = (char for char in text if unicodedata.category(char) in STEERING and char != "\t")
    if any(steering):
        raise ValueError(
            f"{shorten(text)} holds a line break or a control character; write the value in one line"
        )


def _spelt(kind: str, data: dns.rdata.Rdata, origin: dns.name.Name | None = None) -> str:
    """One spelling of equal values: small letters in names, hexadecimal digits without gaps."""
    names = {field: getattr(data, field) for field in FORMS[kind].names}
    same: dict[str, object] = {
        field: (name.derelativize(origin) if origin else name).canonicalize() for field, name in names.items()
    }
    if kind == "CAA":
        same["tag"] = getattr(data, "tag").lower()  # noqa: B009 - dnspython has it for CAA only
    return str(data.replace(**same).to_text(chunksize=0))


def _pieces(text: str) -> Iterator[bytes]:
    """The strings of a text, none longer than a record can hold."""
    for whole in _quoted(text) if text.startswith('"') else (text.encode(),):
        yield whole[:PIECE]
        yield from (whole[start : start + PIECE] for start in range(PIECE, len(whole), PIECE))


def _quoted(text: str) -> list[bytes]:
    """What stands in quotes; anything outside of them, or a quote that is not closed, is a mistake."""
    tokens = dns.tokenizer.Tokenizer(text)
    found = []
    try:
        while not (token := tokens.get(want_comment=True)).is_eol_or_eof():
            if not token.is_quoted_string():
                raise dns.exception.SyntaxError
            found.append(token.unescape_to_bytes().value)
        if not tokens.get().is_eof():
            raise dns.exception.SyntaxError
    except dns.exception.DNSException as error:
        cure = "write the text without quotes, they are added for you"
        raise ValueError(f"{shorten(text)} begins with a quote and is not all in quotes; {cure}") from error
    return found


def _check_root(kind: str, data: dns.rdata.Rdata) -> None:
    """Raises where a dot alone stands and does not mean that there is none."""
    if kind in ("CNAME", "NS") and getattr(data, "target") == dns.name.root:  # noqa: B009 - of those two only
        raise ValueError(f". is the root of DNS and no host; write {FORMS[kind].rule}")
    if kind == "MX" and getattr(data, "exchange") == dns.name.root and getattr(data, "preference"):  # noqa: B009
        raise ValueError(f"{data.to_text()} is not a mail host; write 0 . for no mail at all (RFC 7505)")


def _check_target(kind: str, field: str, name: dns.name.Name) -> None:
    """Raises where something names what cannot be meant: an address, an address of the web, half a name."""
    labels = [label.lower() for label in name.labels if label]
    shown = shorten(name.to_text())
    if not labels:  # A dot alone: none; and @, the zone itself.
        return
    if labels[-1].isdigit():
        sort = add_article(kind)
        raise ValueError(f"{shown} is an address; {sort} record points to a name, e.g. www.example.net.")
    hosts = labels[1:] if field == FORMS[kind].mailbox else labels
    if not all(_HOST_LABEL.fullmatch(label) for label in hosts):
        raise ValueError(f"{shown} is not a name; write {FORMS[kind].rule}")
    if not name.is_absolute() and len(labels) > 1:
        raise ValueError(f"{shown} has no final dot; write {shown}. for the name as it stands")
