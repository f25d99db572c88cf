"""As many hosts as wanted: it declares and deletes hosts, newest first; the rest is their own loops' work."""

from collections.abc import Sequence
from itertools import count
from typing import Annotated, Final

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import replace

from setpoint.capabilities.world import World
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import AnyJson, Entity, Shape, State
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.moments import clock
from setpoint.engine.plan import ABSENT, Absence, Plan, Verb, diff
from setpoint.engine.rows import Act
from setpoint.kinds.host import PARKED_UNTIL, WEIGHT, Host

Hosts = Sequence[Entity[Host]]


class ScalingGroup(Shape, frozen=True):
    """How many hosts of which make."""

    provider: Annotated[str, Meta(description="The account its hosts are made in, by name.", min_length=1)]
    desired: Annotated[int, Meta(description="How many hosts there should be.", ge=0, le=1000)]
    min: Annotated[int, Meta(description="Never fewer than this.", ge=0, le=1000)] = 0
    max: Annotated[int, Meta(description="Never more than this.", ge=0, le=1000)] = 100
    cooldown_seconds: Annotated[
        float, Meta(description="How long one decision about the size stands before the next.", ge=0)
    ] = 60.0
    size: Annotated[str, Meta(description="The vendor's server type.", pattern=r"^[a-z0-9-]{1,32}$")] = "cx22"
    image: Annotated[
        str, Meta(description="The image its hosts are made from.", pattern=r"^[a-z0-9._-]{1,64}$")
    ] = "debian-12"
    location: Annotated[str, Meta(description="Where they stand.", pattern=r"^[a-z0-9-]{1,32}$")] = "fsn1"


class Seen(Struct, frozen=True):
    """Its hosts, and the names that others took: a host that was adopted belongs to no group."""

    hosts: Hosts
    taken: frozenset[str] = frozenset()


class GroupLoop(Struct, frozen=True):
    """Desired against actual count."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[ScalingGroup]) -> Seen:
        hosts: Hosts = await self.world.intent.children(entity.ref, "host")
        staying = sum(1 for host in hosts if not host.deleting)
        if entity.deleting or staying >= max(_wanted(entity.spec), entity.facts.get("size", 0)):
            return Seen(hosts)
        rows = await self.world.intent.inside(entity.scope)
        others = frozenset(row.name for row in rows if row.kind == "host" and row.parent != entity.ref)
        return Seen(hosts, others)

    def plan(self, entity: Entity[ScalingGroup], found: Seen, now: float) -> Plan:
        seen = found.hosts
        if entity.deleting and not seen:
            return Plan(gone=True)
        staying = [host for host in seen if not host.deleting]
        size, facts, waits, left = (0, {}, "", None) if entity.deleting else self._size(entity, now)
        names = _names(entity.name, size, found)
        template = _template(entity.spec)
        actions = diff(
            dict.fromkeys(names, template),
            {host.name: host.declared.spec for host in staying},
            explicit=frozenset(h.name for h in staying) if entity.deleting == "asked" else frozenset(),
            protected=frozenset(host.name for host in staying if host.declared.protected),
        )
        actions = tuple(replace(action, weight=WEIGHT) for action in actions)
        state, reason = _health(seen, size)
        if entity.deleting:
            reason = f"waiting for {len(seen)} host{'s' * (len(seen) != 1)} to go"
        return Plan(
            actions=actions,
            state=State.PENDING if (entity.deleting or waits) and state is State.READY else state,
            reason=reason + waits,
            again_in=left,
            facts={**facts, "hosts": len(staying)},
            desired=size,
            actual=len(staying),
            weight=WEIGHT * len(staying),
            known=frozenset(host.name for host in staying),
            unhealthy=frozenset(host.name for host in staying if not _is_well(host)),
        )

    async def act(self, entity: Entity[ScalingGroup], act: Act) -> None:
        author = Author(
            f"scaling_group {entity.name}", entity.declared.people, owner=entity.ref, parent=entity.ref
        )
        host = await self._host(entity, act.item)
        if act.verb is Verb.DELETE:
            if host is not None:
                await self.world.declarer.delete(host.ref, author)
            return
        if host is None and await self.world.intent.named("host", entity.scope, act.item) is not None:
            raise Rejected(f"a host called {act.item} exists that is not of this group")
        declaration = Declaration(kind="host", scope=entity.scope, name=act.item, spec=act.after)
        if host is not None:
            declaration = replace(declaration, labels=host.declared.labels)
        await self.world.declarer.declare((declaration,), author)

    async def look(self, entity: Entity[ScalingGroup], item: str) -> AnyJson | Absence:
        host = await self._host(entity, item)
        return ABSENT if host is None or host.deleting else host.declared.spec

    async def _host(self, entity: Entity[ScalingGroup], name: str) -> Entity[Host] | None:
        hosts: Hosts = await self.world.intent.children(entity.ref, "host")
        return next((host for host in hosts if host.name == name), None)

    def _size(
        self, entity: Entity[ScalingGroup], now: float
    ) -> tuple[int, dict[str, AnyJson], str, float | None]:
        """The size that counts now, what is kept of it, and which other one waits, for how long.

        A new decision waits until the last one has stood long enough.
        """
        spec = entity.spec
        wanted = _wanted(spec)
        decided = entity.facts.get("size")
        since = float(entity.facts.get("decided_at", 0.0))
        left = since + spec.cooldown_seconds - now
        if decided is None or decided == wanted or left <= 0:
            changed = decided != wanted
            return wanted, {"size": wanted, "decided_at": now if changed else since}, "", None
        waits = f"; {wanted} wanted, cooling down until {clock(now + left, now)}"
        return decided, {"size": decided, "decided_at": since}, waits, left


def _wanted(spec: ScalingGroup) -> int:
    return max(spec.min, min(spec.max, spec.desired))


def _names(group: str, size: int, seen: Seen) -> list[str]:
    """Which hosts stay: the oldest; and the names of those to come, lowest free number first."""
    hosts = sorted(seen.hosts, key=lambda host: host.ref)
    oldest = [host.name for host in hosts if not host.deleting][:size]
    taken = {host.name for host in hosts} | seen.taken
    free = (name for number in count(1) if (name := f"{group}-{number}") not in taken)
    return oldest + [next(free) for _ in range(size - len(oldest))]


def _template(spec: ScalingGroup) -> dict[str, AnyJson]:
    host = Host(provider=spec.provider, size=spec.size, image=spec.image, location=spec.location)
    made: dict[str, AnyJson] = to_builtins(host)
    return made


def _health(hosts: Hosts, size: int) -> tuple[State, str]:
    """READY only when all that stay are well, and all that leave are parked at least."""
    staying = [host for host in hosts if not host.deleting]
    parked = [host for host in hosts if host.deleting and PARKED_UNTIL in host.facts]
    ready, leaving = sum(map(_is_well, staying)), len(hosts) - len(staying) - len(parked)
    words = f"{ready} of {size} hosts READY"
    words += f"; {leaving} to be parked" if leaving else ""
    words += f"; {len(parked)} parked, to be paid for until destroyed" if parked else ""
    worst = next((host for host in staying if not _is_well(host)), None)
    if worst is None:
        return (State.READY if ready == size and not leaving else State.PENDING), words
    bad = any(h.status.state in (State.DEGRADED, State.FAILED, State.HELD) for h in staying)
    return (State.DEGRADED if bad else State.PENDING), f"{words}; {worst.name}: {worst.status.reason}"


def _is_well(host: Entity[Host]) -> bool:
    """Ready, and as it was last declared: only then the next wave goes out."""
    return host.status.state is State.READY and host.status.generation == host.generation


def _check(spec: Shape) -> tuple[tuple[str, str], ...]:
    if isinstance(spec, ScalingGroup) and spec.min > spec.max:
        return (("min", f"{spec.min} is more than max, which is {spec.max}"),)
    return ()


SCALING_GROUP: Final = Kind(
    name="scaling_group",
    plural="scaling_groups",
    about="A number of equal hosts, held at the size wanted.",
    level="workspace",
    spec=ScalingGroup,
    example={"provider": "hetzner", "desired": 3, "min": 1, "max": 10, "size": "cx22"},
    loop=GroupLoop,
    every=Every(60),
    on=(
        On("entity.config_changed"),
        On("entity.state_changed", "child"),
        On("host.heartbeat_missing", "child"),
        On("entity.deleted", "child"),
    ),
    references={"provider": "provider"},
    fixed={"provider": str},
    asks_account=False,
    check=_check,
    columns={"DESIRED": "spec.desired", "HOSTS": "status.facts.hosts"},
)
