"""A set of DNS records of one name and type, and what its records may say."""

import re
from collections.abc import Iterable, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.refusal import Mistake

RRType = Literal[
    "A", "AAAA", "CAA", "CNAME", "DS", "HINFO", "HTTPS", "MX", "NS", "PTR", "RP", "SOA", "SRV", "SVCB",
    "TLSA", "TXT",
]  # fmt: skip
_NAME_PART = r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?"
RRName = Annotated[str, Meta(pattern=rf"^(@|(\*|{_NAME_PART})(\.{_NAME_PART})*)$", max_length=253)]
Ttl = Annotated[int, Meta(ge=60, le=2147483647)]
APEX = "@"
RR_TYPES: frozenset[str] = frozenset(get_args(RRType))
_FAMILIES: Mapping[str, type[IPv4Address] | type[IPv6Address]] = {"A": IPv4Address, "AAAA": IPv6Address}
_HOST = re.compile(r"\S+")
_STRING = r'"(?:[^"\\]|\\(?:\d{3}|\D)){0,255}"'
_FORMS = {
    "TXT": re.compile(rf"{_STRING}(\s+{_STRING})*"),
    "MX": re.compile(r"\d{1,5}\s+\S+"),
    "SRV": re.compile(r"(\d{1,5}\s+){3}\S+"),
    "CNAME": _HOST,
    "NS": _HOST,
    "PTR": _HOST,
}


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    value: Annotated[str, Meta(min_length=1)]
    comment: str | None = None


MOST_RECORDS = 50
Records = Annotated[tuple[Record, ...], Meta(min_length=1, max_length=MOST_RECORDS)]


class RRSet(msgspec.Struct, frozen=True, kw_only=True):
    zone: int
    name: str
    type: RRType
    created: float
    ttl: int | None = None
    labels: Labels = {}
    records: tuple[Record, ...] = ()
    protected: bool = False

    @property
    def id(self) -> str:
        return f"{self.name}/{self.type}"


def shown(rrset: RRSet) -> dict[str, object]:
    """A record set as the API writes it."""
    return {
        "id": rrset.id,
        "name": rrset.name,
        "type": rrset.type,
        "ttl": rrset.ttl,
        "labels": rrset.labels,
        "protection": {"change": rrset.protected},
        "records": rrset.records,
        "zone": rrset.zone,
    }


def mistakes_in_records(kind: str, records: Iterable[Record]) -> list[Mistake]:
    """What is wrong with records of this type."""
    values = [record.value for record in records]
    mistakes = [
        (f"records.{index}.value", f"{value!r} is not the value of a record of type {kind}")
        for index, value in enumerate(values)
        if not _fits(kind, value)
    ]
    if len(set(values)) < len(values):
        mistakes.append(("records", "must not contain a value twice"))
    if kind in ("CNAME", "SOA") and len(values) > 1:
        mistakes.append(("records", f"of type {kind} can only be one, here are {len(values)}"))
    return mistakes


def _fits(kind: str, value: str) -> bool:
    if kind in _FAMILIES:
        return _is_address(_FAMILIES[kind], value)
    return kind not in _FORMS or _FORMS[kind].fullmatch(value) is not None


def _is_address(family: type[IPv4Address] | type[IPv6Address], value: str) -> bool:
    try:
        family(value)
    except AddressValueError:
        return False
    return True
