"""A zone with its records: a keyed set at a provider, judged together."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.capabilities.mark import is_ours, made_by, mark, marks_of
from setpoint.capabilities.reach import account_of
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyJson, Entity, Shape, State
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Member, Plan, Verb, diff
from setpoint.engine.rows import Act
from setpoint.kinds.dns_record import DnsRecord, orphan
from setpoint.kinds.orphan import Orphan, listed, lost

ZONE_ITEM: Final = "zone"
WEIGHT: Final = 100  # And one more for each record that goes with it.
PROVIDERS_OWN: Final = frozenset({("@", "NS"), ("@", "SOA")})


class DnsZone(Shape, frozen=True):
    """A zone at a provider."""

    provider: Annotated[str, Meta(description="The provider it is kept at, by name.", min_length=1)]
    domain: Annotated[
        str,
        Meta(
            description="The domain, without a final dot.",
            pattern=r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$",
        ),
    ]
    adopt: Annotated[
        bool, Meta(description="Take over the whole zone: records found there without our mark are ours too.")
    ] = False


class Seen(Struct, frozen=True):
    """The zone at its provider, and the records declared for it, read together."""

    zone: Zone | Absence
    records: tuple[RecordSet, ...]
    declared: tuple[Entity[DnsRecord], ...]
    lost: frozenset[str] = frozenset()
    """Acts that our journal does not hold, by the marks of records that are not declared."""


class ZoneLoop(Struct, frozen=True):
    """Holds the records at the provider at exactly those declared."""

    world: World
    settles_in: float

    async def observe(self, entity: Entity[DnsZone]) -> Seen:
        declared = await self.world.intent.children(entity.ref, "dns_record")
        dns = (await account_of(self.world, entity, entity.spec.provider)).dns
        zone = await dns.zone(entity.spec.domain)
        records = () if isinstance(zone, Absence) else await dns.records(entity.spec.domain)
        seen = Seen(zone, records, declared)
        undeclared = [record.labels for record in self._undeclared(entity, seen)]
        return replace(seen, lost=await lost(self.world, undeclared)) if undeclared else seen

    def plan(self, entity: Entity[DnsZone], seen: Seen, now: float) -> Plan:
        if isinstance(seen.zone, Absence):
            return self._plan_without_zone(entity, seen)
        wanted, clashes = _wanted(seen.declared)
        actual = self._actual(entity, seen, wanted)
        going = frozenset(_item(record.spec) for record in seen.declared if record.deleting == "asked")
        guarded = frozenset(_item(record.spec) for record in seen.declared if record.declared.protected)
        owned = frozenset(item for item, value in actual.items() if not isinstance(value, Absence))
        actions = diff(wanted, actual, explicit=going, protected=guarded)
        if entity.deleting:
            actions = self._removal(entity, seen, actions, weight=WEIGHT + len(owned))
        return Plan(
            actions=actions,
            state=State.READY if not actions else State.PENDING,
            reason=f"{len(wanted)} records as declared" if not actions else f"{len(actions)} records differ",
            facts={"zone_id": seen.zone.id, "records": len(owned), **listed(self._orphans(entity, seen))},
            desired=0 if entity.deleting else len(wanted),
            actual=len(owned),
            known=owned | {ZONE_ITEM},
            groups=_owners(seen.declared),
            members=_members(seen, actual, clashes),
            marks=self._marks(entity, seen, actions),
            gone=bool(entity.deleting) and not actions,
        )

    async def act(self, entity: Entity[DnsZone], act: Act) -> None:
        dns = (await account_of(self.world, entity, entity.spec.provider)).dns
        domain = entity.spec.domain
        labels = mark(self.world.habits.installation, entity.ref, act)
        if act.item == ZONE_ITEM:
            deleting = act.verb is Verb.DELETE
            await (dns.delete_zone(domain) if deleting else dns.create_zone(domain, labels))
            return
        name, kind = act.item.rsplit("/", 1)
        if act.verb is Verb.DELETE:
            await dns.delete_record(domain, name, kind)
            return
        record = RecordSet(
            name=name, type=kind, values=tuple(act.after["values"]), ttl=act.after["ttl"], labels=labels
        )
        await (
            dns.create_record(domain, record)
            if act.verb is Verb.CREATE
            else dns.change_record(domain, record)
        )

    async def look(self, entity: Entity[DnsZone], item: str) -> AnyJson | Absence:
        dns = (await account_of(self.world, entity, entity.spec.provider)).dns
        zone = await dns.zone(entity.spec.domain)
        if item == ZONE_ITEM or isinstance(zone, Absence):
            return zone if isinstance(zone, Absence) else {"domain": zone.name}
        name, kind = item.rsplit("/", 1)
        found = await dns.record(entity.spec.domain, name, kind)
        if isinstance(found, Absence):
            return found
        # A stranger there is one record's trouble, told by its own status: the rest of the zone goes on.
        return _value(found.values, found.ttl) if self._is_ours(entity, found) else UNKNOWN

    def _plan_without_zone(self, entity: Entity[DnsZone], seen: Seen) -> Plan:
        if entity.deleting:
            return Plan(gone=True, members=_members(seen, {}, {}))
        return Plan(
            actions=(Action(verb=Verb.CREATE, item=ZONE_ITEM, after={"domain": entity.spec.domain}),),
            state=State.PENDING,
            reason=f"{entity.spec.domain} is not at the provider yet",
            desired=len(seen.declared),
            members=_members(seen, {}, {}),
        )

    def _removal(
        self, entity: Entity[DnsZone], seen: Seen, actions: tuple[Action, ...], *, weight: int
    ) -> tuple[Action, ...]:
        """A zone we made goes as a whole; where anything in it is not ours, only our records go."""
        made = isinstance(seen.zone, Zone) and self._made(entity, seen.zone)
        if not made or self._strangers(entity, seen):
            return tuple(action for action in actions if action.destructive)
        whole = Action(
            verb=Verb.DELETE,
            item=ZONE_ITEM,
            before={"domain": entity.spec.domain},
            explicit=entity.deleting == "asked",
            protected=entity.declared.protected or any(action.protected for action in actions),
            weight=weight,
        )
        return (whole,)

    def _made(self, entity: Entity[DnsZone], zone: Zone) -> bool:
        return is_ours(zone.labels, self.world.habits.installation, entity.ref)

    def _strangers(self, entity: Entity[DnsZone], seen: Seen) -> bool:
        return any(
            (record.name, record.type) not in PROVIDERS_OWN and not self._is_ours(entity, record)
            for record in seen.records
        )

    def _marks(self, entity: Entity[DnsZone], seen: Seen, actions: tuple[Action, ...]) -> dict[str, str]:
        if isinstance(seen.zone, Absence) or not any(action.destructive for action in actions):
            return {}
        return marks_of(actions, {ZONE_ITEM: seen.zone.labels} | self._labels(entity, seen))

    def _labels(self, entity: Entity[DnsZone], seen: Seen) -> dict[str, dict[str, str]]:
        """Item -> its labels, of what carries our mark for this zone."""
        here = self.world.habits.installation
        return {f"{r.name}/{r.type}": r.labels for r in seen.records if is_ours(r.labels, here, entity.ref)}

    def _undeclared(self, entity: Entity[DnsZone], seen: Seen) -> list[RecordSet]:
        """Records that carry our mark, and that nobody declares."""
        marked = self._labels(entity, seen).keys() - {_item(record.spec) for record in seen.declared}
        return [record for record in seen.records if f"{record.name}/{record.type}" in marked]

    def _orphans(self, entity: Entity[DnsZone], seen: Seen) -> tuple[Orphan, ...]:
        newer = (
            [r for r in self._undeclared(entity, seen) if made_by(r.labels) in seen.lost] if seen.lost else []
        )
        return tuple(orphan(entity.name, record) for record in newer)

    def _actual(
        self, entity: Entity[DnsZone], seen: Seen, wanted: Mapping[str, AnyJson]
    ) -> dict[str, AnyJson | Absence]:
        """What is there and ours; a stranger in a place we want is neither there nor absent."""
        actual: dict[str, AnyJson | Absence] = {}
        for record in seen.records:
            item = f"{record.name}/{record.type}"
            if (record.name, record.type) in PROVIDERS_OWN:
                continue
            if self._is_ours(entity, record):
                actual[item] = _value(record.values, record.ttl)
            elif item in wanted:
                actual[item] = UNKNOWN
        return actual

    def _is_ours(self, entity: Entity[DnsZone], record: RecordSet) -> bool:
        return entity.spec.adopt or is_ours(record.labels, self.world.habits.installation, entity.ref)


def _owners(declared: tuple[Entity[DnsRecord], ...]) -> dict[str, int]:
    """How many records each file or loop declares: one that declares none any more was perhaps not read."""
    owners = (record.declared.owner for record in declared if not record.deleting)
    return dict(Counter(owner for owner in owners if owner))


def _wanted(declared: tuple[Entity[DnsRecord], ...]) -> tuple[dict[str, AnyJson], dict[str, str]]:
    """Item -> value, and for items declared twice the name that holds the place."""
    wanted: dict[str, AnyJson] = {}
    holders: dict[str, str] = {}
    clashes: dict[str, str] = {}
    for record in declared:
        if record.deleting:
            continue
        item = _item(record.spec)
        if item in holders:
            clashes[record.ref] = holders[item]
            continue
        holders[item] = record.name
        wanted[item] = _value(record.spec.values, record.spec.ttl)
    return wanted, clashes


def _members(
    seen: Seen, actual: Mapping[str, AnyJson | Absence], clashes: Mapping[str, str]
) -> tuple[Member, ...]:
    held = frozenset(_item(record.spec) for record in seen.declared if not record.deleting)
    return tuple(_member(record, actual, clashes, held) for record in seen.declared)


def _member(
    record: Entity[DnsRecord],
    actual: Mapping[str, AnyJson | Absence],
    clashes: Mapping[str, str],
    held: frozenset[str],
) -> Member:
    item = _item(record.spec)
    found = actual.get(item, ABSENT)
    state, reason = State.READY, "at the provider as declared"
    if record.ref in clashes:
        state, reason = State.FAILED, f"{item} is already declared by dns_record {clashes[record.ref]}"
    elif record.deleting:
        state, reason = State.PENDING, "to be deleted at the provider"
    elif found is UNKNOWN:
        state, reason = State.FAILED, f"{item} exists without our mark; set adopt on the zone, or remove it"
    elif found is ABSENT:
        state, reason = State.PENDING, "not at the provider yet"
    elif found != _value(record.spec.values, record.spec.ttl):
        state, reason = State.PENDING, f"the provider still has {', '.join(found['values'])}"
    return Member(
        ref=record.ref,
        item=item,
        state=state,
        reason=reason,
        generation=record.generation,
        # One that leaves a place another holds has nothing left to wait for.
        gone=bool(record.deleting) and (found is ABSENT or item in held),
    )


def _item(spec: DnsRecord) -> str:
    return f"{spec.name}/{spec.type}"


def _value(values: tuple[str, ...], ttl: int | None) -> AnyJson:
    return {"values": sorted(values), "ttl": ttl}


def _loop(world: World) -> ZoneLoop:
    return ZoneLoop(world, world.habits.settle_seconds)


DNS_ZONE: Final = Kind(
    name="dns_zone",
    plural="dns_zones",
    about="A DNS zone at a provider, with the records declared for it.",
    level="project",
    spec=DnsZone,
    example={"provider": "hetzner", "domain": "example.org"},
    loop=_loop,
    every=Every(120),
    on=(On("entity.config_changed"), On("entity.state_changed", "reference")),
    references={"provider": "provider"},
    at_once=16,
    adopts="dns_record",
    columns={"DOMAIN": "spec.domain", "RECORDS": "status.facts.records"},
)
