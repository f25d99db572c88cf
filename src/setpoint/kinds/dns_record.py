"""One name and type in a zone. Its zone's loop judges all of them together, and writes their status."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta

from setpoint.capabilities.dns import RecordSet, RecordType
from setpoint.capabilities.mark import made_by
from setpoint.engine.draft import cycles
from setpoint.engine.entity import AnyEntity, Entity, Shape, hash_of
from setpoint.engine.kind import Clash, Kind
from setpoint.kinds.dns_name import (
    APEX,
    LONGEST,
    normal_record_name,
    read_domain,
    read_record_name,
    shorten,
    whole_name,
)
from setpoint.kinds.orphan import Orphan
from setpoint.words import add_article

LONGEST_NAME: Final = 63  # Characters of an object's name.
TTL: Final = (60, 2_147_483_647)
NULL_MX: Final = "0 ."
NOBODYS_DOMAIN: Final = "unknown.invalid"


class DnsRecord(Shape, frozen=True):
    """All values of one name and type."""

    zone: Annotated[str, Meta(description="The dns_zone it belongs to, by name.", min_length=1)]
    name: Annotated[
        str, Meta(description="Relative to the zone; @ is the zone itself, * in front is every name.")
    ]
    type: Annotated[RecordType, Meta(description="The record type.")]
    values: Annotated[
        tuple[Annotated[str, Meta(max_length=4096)], ...],
        Meta(
            description="One or more, in any order. Names in them end with a dot, text needs no quotes.",
            min_length=1,
        ),
    ]
    ttl: (
        Annotated[int, Meta(description=f"Seconds, {TTL[0]} to {TTL[1]}; the zone's default if left out.")]
        | None
    ) = None

    @property
    def item(self) -> str:
        """The place it takes in its zone: no two records share it."""
        return f"{normal_record_name(self.name)}/{self.type}"


def _check(spec: Shape) -> tuple[tuple[str, str], ...]:
    """What the schema cannot say."""
    if not isinstance(spec, DnsRecord):
        return ()
    return (*_name_mistakes(spec), *_value_mistakes(spec), *_ttl_mistakes(spec))


def _name_mistakes(spec: DnsRecord) -> Iterator[tuple[str, str]]:
    try:
        read_record_name(spec.name)
    except ValueError as error:
        yield "name", str(error)
    if spec.name == APEX and spec.type == "CNAME":
        yield "name", "the zone itself cannot be a CNAME; use A and AAAA, or HTTPS"
    if spec.name == APEX and spec.type == "NS":
        yield "name", "the zone's own NS records belong to the provider"


def _value_mistakes(spec: DnsRecord) -> Iterator[tuple[str, str]]:
    from setpoint.kinds.dns_value import read_value  # noqa: PLC0415 - see there

    first: dict[str, int] = {}
    for index, text in enumerate(spec.values):
        try:
            value = read_value(spec.type, text)
        except ValueError as error:
            yield f"values/{index}", str(error)
            continue
        if value in first:
            yield f"values/{index}", f"values {first[value] + 1} and {index + 1} are the same: {value[:64]}"
        first.setdefault(value, index)
    if spec.type == "CNAME" and len(spec.values) != 1:
        yield "values", f"a CNAME has one value, not {len(spec.values)}"
    if spec.type == "MX" and NULL_MX in first and len(spec.values) > 1:
        yield f"values/{first[NULL_MX]}", f"{NULL_MX} says that no mail is taken; it stands alone (RFC 7505)"


def _ttl_mistakes(spec: DnsRecord) -> Iterator[tuple[str, str]]:
    least, most = TTL
    if spec.ttl is not None and not least <= spec.ttl <= most:
        yield "ttl", f"{spec.ttl} is not a TTL; write {least} to {most} seconds, or leave it out"


def _clashes(zone: AnyEntity | None, records: Sequence[Entity[DnsRecord]]) -> Iterator[Clash]:
    """What one zone cannot hold: a name and type twice, a CNAME beside others, names too long or doubled."""
    domain = _known_domain(zone)
    at_name: dict[str, list[Entity[DnsRecord]]] = {}
    for record in records:
        at_name.setdefault(normal_record_name(record.spec.name), []).append(record)
    for name, together in at_name.items():
        for record in together:
            if message := _wrong_in_zone(record.spec, name, domain):
                yield Clash(record.ref, "name", message)
            others = (_wrong_beside(record, other, name) for other in together if other is not record)
            if message := next(filter(None, others), ""):
                yield Clash(record.ref, "name", message)
    yield from _circles(at_name, domain)


def _known_domain(zone: AnyEntity | None) -> str:
    """The zone's domain, or one that nobody has (RFC 2606) where what is declared cannot be read."""
    try:
        return read_domain(zone.spec.domain) if zone else NOBODYS_DOMAIN
    except ValueError:
        return NOBODYS_DOMAIN


def _circles(at_name: Mapping[str, Sequence[Entity[DnsRecord]]], domain: str) -> Iterator[Clash]:
    """CNAMEs that lead to each other in a circle: nobody who follows them arrives anywhere."""
    aliases = {
        name: alias
        for name, together in at_name.items()
        if (alias := next((record for record in together if record.spec.type == "CNAME"), None))
    }
    targets = {name: _alias_of(alias.spec, domain) for name, alias in aliases.items()}
    edges = {name: [target] if target in targets else [] for name, target in targets.items()}
    for way in cycles(edges):
        for at, name in enumerate(way):
            if len(way) > 1:  # Of itself: said already.
                shown = " -> ".join((*way[at:], *way[:at], name))
                message = f"CNAME records lead in a circle: {shorten(shown)}; let one of them name a host"
                yield Clash(aliases[name].ref, "name", message)


def _alias_of(spec: DnsRecord, domain: str) -> str:
    """The name inside the zone that a CNAME leads to; empty where it leads outside."""
    from setpoint.kinds.dns_value import normal_value  # noqa: PLC0415 - see there

    target = normal_value("CNAME", spec.values[0], domain).removesuffix(".")
    return target.removesuffix(f".{domain}") if target.endswith(f".{domain}") else ""


def _wrong_in_zone(spec: DnsRecord, name: str, domain: str) -> str:
    from setpoint.kinds.dns_value import normal_value  # noqa: PLC0415 - see there

    whole = whole_name(name, domain)
    if f".{name}".endswith(f".{domain}"):
        short = f".{name}".removesuffix(f".{domain}")[1:] or APEX
        return f"{name} ends with the zone's own domain; write {short}"
    if len(whole) > LONGEST and domain != NOBODYS_DOMAIN:
        return f"{name} has {len(whole)} characters with {domain}; a name has at most {LONGEST}"
    if spec.type == "CNAME" and normal_value("CNAME", spec.values[0], domain) == f"{whole}.":
        return f"{name} would be a CNAME of itself"
    return ""


def _wrong_beside(record: Entity[DnsRecord], other: Entity[DnsRecord], name: str) -> str:
    mine, theirs = record.spec.type, other.spec.type
    if mine == theirs:
        cure = "put all values into one of them"
        return f"{name}/{mine} is declared by dns_record {other.name} too; {cure}"
    if "CNAME" in (mine, theirs):
        there = f"{add_article(theirs)} record, dns_record {other.name}"
        return f"{name} has {there}; a CNAME stands alone at its name"
    return ""


def orphan(zone: str, record: RecordSet) -> Orphan:
    """A record of ours that nobody declares, called after its place: its mark does not say more."""
    words = record.name.replace("@", "apex").replace("*", "any")
    name = f"{zone}-{words}-{record.type.lower()}"
    return Orphan(
        kind="dns_record",
        name=name if len(name) <= LONGEST_NAME else f"record-{hash_of([zone, record.name, record.type])}",
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
    identity={"zone": str, "name": normal_record_name, "type": str},
    check=_check,
    beside=_clashes,
    columns={"ZONE": "spec.zone", "TYPE": "spec.type", "VALUES": "spec.values"},
)
