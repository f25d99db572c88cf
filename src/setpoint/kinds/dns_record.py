"""One name and type in a zone. Its zone's loop judges all of them together, and writes their status."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from setpoint.capabilities.dns import RecordSet
from setpoint.capabilities.mark import made_by
from setpoint.engine.entity import Shape, hash_of
from setpoint.engine.kind import Kind
from setpoint.kinds.orphan import Orphan

LONGEST: Final = 63  # Characters of a name.


class DnsRecord(Shape, frozen=True):
    """All values of one name and type."""

    zone: Annotated[str, Meta(description="The dns_zone it belongs to, by name.", min_length=1)]
    name: Annotated[
        str,
        Meta(
            description="Relative to the zone; @ is the zone itself.",
            pattern=r"^(@|(\*|[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*)$",
        ),
    ]
    type: Annotated[
        Literal["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"], Meta(description="The record type.")
    ]
    values: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=4096)], ...],
        Meta(description="One or more values; their order means nothing.", min_length=1),
    ]
    ttl: (
        Annotated[int, Meta(description="Seconds; the zone's default if left out.", ge=60, le=2_147_483_647)]
        | None
    ) = None


def _check(spec: Shape) -> tuple[tuple[str, str], ...]:
    """What the schema cannot say."""
    if not isinstance(spec, DnsRecord):
        return ()
    wrong = []
    if len(set(spec.values)) != len(spec.values):
        wrong.append(("values", "a value is repeated"))
    if spec.type == "CNAME" and len(spec.values) != 1:
        wrong.append(("values", f"a CNAME has one value, not {len(spec.values)}"))
    if spec.type == "CNAME" and spec.name == "@":
        wrong.append(("name", "the zone itself cannot be a CNAME"))
    if spec.type == "NS" and spec.name == "@":
        wrong.append(("name", "the zone's own NS records belong to the provider"))
    return tuple(wrong)


def orphan(zone: str, record: RecordSet) -> Orphan:
    """A record of ours that nobody declares, called after its place: its mark does not say more."""
    words = record.name.replace("@", "apex").replace("*", "any")
    name = f"{zone}-{words}-{record.type.lower()}"
    return Orphan(
        kind="dns_record",
        name=name if len(name) <= LONGEST else f"record-{hash_of([zone, record.name, record.type])}",
        spec={
            "zone": zone,
            "name": record.name,
            "type": record.type,
            "values": list(record.values),
            "ttl": record.ttl,
        },
        act=made_by(record.labels),
        item=f"{record.name}/{record.type}",
    )


DNS_RECORD: Final = Kind(
    name="dns_record",
    plural="dns_records",
    about="All values of one name and type in a zone.",
    level="project",
    spec=DnsRecord,
    example={"zone": "example-org", "name": "www", "type": "A", "values": ["192.0.2.10"], "ttl": 300},
    parent="zone",
    references={"zone": "dns_zone"},
    check=_check,
    columns={"ZONE": "spec.zone", "TYPE": "spec.type", "VALUES": "spec.values"},
)
