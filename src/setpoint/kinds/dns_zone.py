"""A zone with its records: a keyed set at a provider, judged together."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from setpoint.capabilities.dns import Dns, RecordSet, Zone
from setpoint.capabilities.mark import is_marked, is_ours, made_by, mark, marks_of
from setpoint.capabilities.reach import account_of
from setpoint.capabilities.world import World
from setpoint.engine.claim import Thing
from setpoint.engine.entity import AnyJson, Entity, Ref, Shape, State
from setpoint.engine.errors import Conflict
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Member, Plan, Verb, diff
from setpoint.engine.rows import Act
from setpoint.kinds.dns_holder import holder_of
from setpoint.kinds.dns_name import normal_domain, read_domain
from setpoint.kinds.dns_record import DnsRecord, orphan
from setpoint.kinds.orphan import Orphan, listed, lost

ZONE_ITEM: Final = "zone"
WEIGHT: Final = 100  # And one more for each record that goes with it.
PROVIDERS_OWN: Final = frozenset({("@", "NS"), ("@", "SOA")})


class DnsZone(Shape, frozen=True):
    """A zone at a provider."""

    provider: Annotated[str, Meta(description="The provider it is kept at, by name.", min_length=1)]
    domain: Annotated[str, Meta(description="The domain, e.g. example.org.")]
    adopt: Annotated[
        bool,
        Meta(
            description="Take over the whole zone: records found there without any mark become ours, each "
            "after an approval. Setting it needs the right to execute."
        ),
    ] = False


def _check(spec: Shape) -> tuple[tuple[str, str], ...]:
    """What the schema cannot say."""
    if not isinstance(spec, DnsZone):
        return ()
    try:
        read_domain(spec.domain)
    except ValueError as error:
        return (("domain", str(error)),)
    return ()


def _claims(spec: DnsZone) -> tuple[Thing, ...]:
    """The domain. A zone below one that another organization owns would answer in its place, and one above
    it decides by a single record who answers there.
    """
    domain = normal_domain(spec.domain)
    labels = domain.split(".")
    above = tuple(f"dns_zone/{'.'.join(labels[cut:])}" for cut in range(1, len(labels)))
    path = "".join(f"{label}." for label in reversed(labels))
    return (Thing(field="domain", name=f"dns_zone/{domain}", around=above, path=f"dns_zone/{path}"),)


class Seen(Struct, frozen=True):
    """The zone at its provider, and the records declared for it, read together."""

    zone: Zone | Absence
    records: tuple[RecordSet, ...]
    declared: tuple[Entity[DnsRecord], ...]
    lost: frozenset[str] = frozenset()
    """Acts that our journal does not hold, by the marks of records that are not declared."""
    holder: str = ""
    """Who holds this zone, where its marks say that it is not this entity."""


class View(Struct, frozen=True):
    """Items as declared, as seen, and those that cannot be made yet: each record's status comes from it."""

    wanted: Mapping[str, AnyJson] = {}
    actual: Mapping[str, AnyJson | Absence] = {}
    clashes: Mapping[Ref, str] = {}
    """Records declared for an item that another one holds, by whose name."""
    others: frozenset[str] = frozenset()
    """Items that carry somebody else's mark."""
    crowded: Mapping[str, str] = {}
    """Items that cannot stand beside another one at the provider, and which that is."""


class ZoneLoop(Struct, frozen=True):
    """Holds the records at the provider at exactly those declared."""

    world: World
    settles_in: float

    async def observe(self, entity: Entity[DnsZone]) -> Seen:
        declared = await self.world.intent.children(entity.ref, "dns_record")
        dns = (await account_of(self.world, entity, entity.spec.provider)).dns
        zone = await dns.zone(_domain(entity))
        records = () if isinstance(zone, Absence) else await dns.records(_domain(entity))
        holder = "" if isinstance(zone, Absence) else await holder_of(self.world, entity, zone, records)
        seen = Seen(zone, records, declared, holder=holder)
        undeclared = [record.labels for record in self._undeclared(entity, seen)]
        return replace(seen, lost=await lost(self.world, undeclared)) if undeclared else seen

    def plan(self, entity: Entity[DnsZone], seen: Seen, now: float) -> Plan:
        if isinstance(seen.zone, Absence):
            return self._plan_without_zone(entity, seen)
        if seen.holder and not entity.deleting:
            return self._plan_elsewhere(entity, seen)
        wanted, clashes = _wanted(_domain(entity), seen.declared)
        actual = self._actual(entity, seen, wanted)
        going = frozenset(record.spec.item for record in seen.declared if record.deleting == "asked")
        guarded = frozenset(record.spec.item for record in seen.declared if record.declared.protected)
        unmarked = frozenset(_item(r) for r in seen.records if self._may_adopt(entity, r))
        # What is not adopted yet is nobody's loss: guards count what is ours.
        owned = frozenset(item for item, value in actual.items() if not isinstance(value, Absence)) - unmarked
        actions = (
            *diff(wanted, actual, explicit=going, protected=guarded),
            *_stamps(wanted, actual, unmarked),
        )
        view = View(wanted, actual, clashes, self._others(entity, seen), _crowded(actions, seen.records))
        actions = tuple(action for action in actions if action.item not in view.crowded)
        if entity.deleting:
            actions = self._removal(entity, seen, actions, weight=WEIGHT + len(owned))
        members = _members(seen, view)
        state, reason = _standing(actions, members)
        return Plan(
            actions=actions,
            state=state,
            reason=reason,
            facts={"zone_id": seen.zone.id, "records": len(owned), **listed(self._orphans(entity, seen))},
            desired=0 if entity.deleting else len(wanted),
            actual=len(owned),
            known=owned | {ZONE_ITEM},
            groups=_owners(seen.declared),
            members=members,
            adopts=frozenset(action.item for action in actions) & unmarked,
            marks=self._marks(entity, seen, actions),
            gone=bool(entity.deleting) and not actions,
        )

    async def act(self, entity: Entity[DnsZone], act: Act) -> None:
        dns = (await account_of(self.world, entity, entity.spec.provider)).dns
        domain = _domain(entity)
        labels = mark(self.world.habits.installation, entity.ref, act)
        if act.item == ZONE_ITEM:
            deleting = act.verb is Verb.DELETE
            await (dns.delete_zone(domain) if deleting else dns.create_zone(domain, labels))
            return
        name, kind = act.item.rsplit("/", 1)
        if entity.spec.adopt and act.verb is Verb.UPDATE:
            await self._check_unmarked(entity, dns, name, kind)
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
        zone = await dns.zone(_domain(entity))
        if item == ZONE_ITEM or isinstance(zone, Absence):
            return zone if isinstance(zone, Absence) else {"domain": zone.name}
        name, kind = item.rsplit("/", 1)
        found = await dns.record(_domain(entity), name, kind)
        if isinstance(found, Absence):
            return found
        # A stranger there is one record's trouble, told by its own status: the rest of the zone goes on.
        known = self._is_ours(entity, found) or self._may_adopt(entity, found)
        return _value(_domain(entity), found) if known else UNKNOWN

    async def _check_unmarked(self, entity: Entity[DnsZone], dns: Dns, name: str, kind: str) -> None:
        """Raises where somebody's mark came upon a record since it was seen: it is not adopted any more."""
        found = await dns.record(_domain(entity), name, kind)
        if not isinstance(found, Absence) and is_marked(found.labels) and not self._is_ours(entity, found):
            raise Conflict(f"{name}/{kind} carries somebody else's mark by now")

    def _plan_without_zone(self, entity: Entity[DnsZone], seen: Seen) -> Plan:
        if entity.deleting:
            return Plan(gone=True, members=_members(seen, View()))
        return Plan(
            actions=(Action(verb=Verb.CREATE, item=ZONE_ITEM, after={"domain": _domain(entity)}),),
            state=State.PENDING,
            reason=f"{_domain(entity)} is not at the provider yet",
            desired=len(seen.declared),
            members=_members(seen, View()),
        )

    def _plan_elsewhere(self, entity: Entity[DnsZone], seen: Seen) -> Plan:
        """Nothing is added to a zone that somebody else holds: a record there speaks in its name."""
        reason = f"{_domain(entity)} is held by {seen.holder}, as the marks at the provider say"
        members = tuple(replace(m, state=State.FAILED, reason=reason) for m in _members(seen, View()))
        return Plan(
            state=State.FAILED,
            reason=f"{reason}; declare its records there, and delete this zone: "
            f"setpoint delete dns_zone {entity.name}",
            facts=entity.facts,
            desired=len(seen.declared),
            members=members,
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
            before={"domain": _domain(entity)},
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

    def _others(self, entity: Entity[DnsZone], seen: Seen) -> frozenset[str]:
        """Items that carry somebody else's mark."""
        marked = (record for record in seen.records if is_marked(record.labels))
        return frozenset(_item(record) for record in marked if not self._is_ours(entity, record))

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
        marked = self._labels(entity, seen).keys() - {record.spec.item for record in seen.declared}
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
            if self._is_ours(entity, record) or self._may_adopt(entity, record):
                actual[item] = _value(_domain(entity), record)
            elif item in wanted:
                actual[item] = UNKNOWN
        return actual

    def _is_ours(self, entity: Entity[DnsZone], record: RecordSet) -> bool:
        return is_ours(record.labels, self.world.habits.installation, entity.ref)

    def _may_adopt(self, entity: Entity[DnsZone], record: RecordSet) -> bool:
        """What carries any mark is somebody's: it is never taken."""
        if not entity.spec.adopt or entity.deleting or (record.name, record.type) in PROVIDERS_OWN:
            return False
        return not is_marked(record.labels)


def _item(record: RecordSet) -> str:
    return f"{record.name}/{record.type}"


def _stamps(
    wanted: Mapping[str, AnyJson], actual: Mapping[str, AnyJson | Absence], unmarked: frozenset[str]
) -> Iterator[Action]:
    """What is there as declared, and without a mark: adopting it changes its labels alone."""
    for item in sorted(unmarked & wanted.keys()):
        if actual[item] == wanted[item]:
            yield Action(verb=Verb.UPDATE, item=item, before=wanted[item], after=wanted[item])


def _owners(declared: tuple[Entity[DnsRecord], ...]) -> dict[str, int]:
    """How many records each file or loop declares: one that declares none any more was perhaps not read."""
    owners = (record.declared.owner for record in declared if not record.deleting)
    return dict(Counter(owner for owner in owners if owner))


def _wanted(
    domain: str, declared: tuple[Entity[DnsRecord], ...]
) -> tuple[dict[str, AnyJson], dict[Ref, str]]:
    """Item -> value, and for items declared twice the name that holds the place."""
    wanted: dict[str, AnyJson] = {}
    holders: dict[str, str] = {}
    clashes: dict[Ref, str] = {}
    for record in declared:
        if record.deleting:
            continue
        item = record.spec.item
        if item in holders:
            clashes[record.ref] = holders[item]
            continue
        holders[item] = record.name
        wanted[item] = _value(domain, record.spec)
    return wanted, clashes


def _standing(actions: tuple[Action, ...], members: tuple[Member, ...]) -> tuple[State, str]:
    """READY only when every record is as declared; the first that cannot be is named."""
    if actions:
        return State.PENDING, "1 record differs" if len(actions) == 1 else f"{len(actions)} records differ"
    staying = [member for member in members if not member.gone]
    stuck = [member for member in staying if member.state is State.FAILED]
    if stuck:
        well = f"{len(staying) - len(stuck)} of {len(staying)} records as declared"
        return State.DEGRADED, f"{well}; {stuck[0].item}: {stuck[0].reason}"
    return State.READY, "1 record as declared" if len(staying) == 1 else f"{len(staying)} records as declared"


def _crowded(actions: tuple[Action, ...], records: tuple[RecordSet, ...]) -> dict[str, str]:
    """What is to be made where a CNAME stands, or as a CNAME where something stands: that has to go first."""
    types: dict[str, list[str]] = {}
    for record in records:
        types.setdefault(record.name, []).append(record.type)
    crowded: dict[str, str] = {}
    for action in actions:
        name, kind = action.item.rsplit("/", 1)
        others = [other for other in types.get(name, ()) if other != kind and "CNAME" in (kind, other)]
        if action.verb is Verb.CREATE and others:
            crowded[action.item] = f"{name}/{others[0]}"
    return crowded


def _members(seen: Seen, view: View) -> tuple[Member, ...]:
    return tuple(_member(record, view) for record in seen.declared)


def _member(record: Entity[DnsRecord], view: View) -> Member:
    item = record.spec.item
    found = view.actual.get(item, ABSENT)
    state, reason = State.READY, "at the provider as declared"
    if record.ref in view.clashes:
        state, reason = State.FAILED, f"{item} is already declared by dns_record {view.clashes[record.ref]}"
    elif record.deleting:
        state, reason = State.PENDING, "to be deleted at the provider"
    elif found is UNKNOWN:
        state, reason = State.FAILED, f"{item} {_stranger(item, view)}"
    elif item in view.crowded:
        state, reason = _waiting(view.crowded[item], view)
    elif found is ABSENT:
        state, reason = State.PENDING, "not at the provider yet"
    elif found != view.wanted[item]:
        state, reason = State.PENDING, f"the provider still has {', '.join(found['values'])}"
    return Member(
        ref=record.ref,
        item=item,
        state=state,
        reason=reason,
        generation=record.generation,
        # One that leaves a place another holds has nothing left to wait for.
        gone=bool(record.deleting) and (found is ABSENT or item in view.wanted),
    )


def _waiting(other: str, view: View) -> tuple[State, str]:
    if other in view.actual:
        return State.PENDING, f"waits until {other} is deleted: a CNAME stands alone at its name"
    return State.FAILED, f"a CNAME stands alone at its name, and {other} {_stranger(other, view)}"


def _stranger(item: str, view: View) -> str:
    if item in view.others:
        return "carries somebody else's mark; declare it there, or have it removed there"
    return "exists without our mark; set adopt on the zone, or remove it"


def _domain(entity: Entity[DnsZone]) -> str:
    return normal_domain(entity.spec.domain)


def _value(domain: str, record: DnsRecord | RecordSet) -> AnyJson:
    """What is compared and sent: equal values have one spelling, whoever wrote them."""
    from setpoint.kinds.dns_value import normal_value  # noqa: PLC0415 - see there

    values = sorted(normal_value(record.type, value, domain) for value in record.values)
    return {"values": values, "ttl": record.ttl}


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
    claims=_claims,
    fixed={"provider": str, "domain": normal_domain},
    by_right=("adopt",),
    at_once=16,
    adopts="dns_record",
    check=_check,
    columns={"DOMAIN": "spec.domain", "RECORDS": "status.facts.records"},
)
