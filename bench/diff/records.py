"""DNS records as a provider sends them, and as typed values that were checked on the way in."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from bench.diff.drift import Drift

TTL: Final = 300
OTHER_TTL: Final = 600
SEVERAL: Final = 10  # Every tenth record has two addresses, sent in no order.

Name = Annotated[str, Meta(max_length=253, pattern=r"^(@|[a-z0-9_*]([a-z0-9_.-]*[a-z0-9_])?)$")]
Octets = Annotated[
    str, Meta(pattern=r"^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$", max_length=15)
]
Seconds = Annotated[int, Meta(ge=60, le=2_147_483_647)]


# None of these can be part of a cycle: the collector need not look at them.
class Address(msgspec.Struct, frozen=True, gc=False, order=True):
    value: Octets


class RecordSet(msgspec.Struct, frozen=True, gc=False):
    """All addresses of one name."""

    name: Name
    type: Literal["A"]
    ttl: Seconds | None
    records: Annotated[tuple[Address, ...], Meta(min_length=1)]


class Listing(msgspec.Struct, frozen=True):
    rrsets: list[RecordSet]


def document(drift: Drift) -> bytes:
    """The provider's answer, all pages in one."""
    changed = drift.changed
    sent = ",".join(sent_record(i, OTHER_TTL if i in changed else TTL) for i in drift.observed())
    return f'{{"rrsets":[{sent}]}}'.encode()


def sent_record(number: int, ttl: int) -> str:
    """One record as it is sent, with the fields that nobody compares."""
    name = name_of(number)
    records = ",".join(f'{{"value":"{address}","comment":""}}' for address in reversed(addresses_of(number)))
    return (
        f'{{"id":"{name}/A","name":"{name}","type":"A","ttl":{ttl},"labels":{{"managed-by":"setpoint"}},'
        f'"protection":{{"change":false}},"records":[{records}],"zone":42}}'
    )


def declared_record(number: int, ttl: int = TTL) -> RecordSet:
    addresses = tuple(Address(address) for address in addresses_of(number))
    return RecordSet(name_of(number), "A", ttl, addresses)


def item_of(number: int) -> str:
    return f"{name_of(number)}/A"


def name_of(number: int) -> str:
    return f"host-{number:07d}"


def addresses_of(number: int) -> Sequence[str]:
    """In the order in which they are declared: sorted."""
    low = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    return (low,) if number % SEVERAL else (low, f"192{low[2:]}")
