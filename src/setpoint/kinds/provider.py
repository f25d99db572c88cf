"""An account at a vendor: its credential is proven and its inventory swept; nothing is ever changed here."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, structs, to_builtins

from setpoint.capabilities.account import Inventory, another, remembered
from setpoint.capabilities.compute import Server
from setpoint.capabilities.mark import WORKSPACE, entity_in, made_by
from setpoint.capabilities.reach import SAME_ACCOUNT, carried
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Condition, Entity, Ref, Shape, State, hash_of, kind_of
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, Absence, Plan
from setpoint.engine.rows import Act, Mode
from setpoint.kinds.make import ITEM, MAKE, host_of
from setpoint.kinds.orphan import Orphan, listed, lost, sentence

KEPT_LANDMARKS: Final = 5
PUBLISHED: Final = {"hetzner_cloud": "https://api.hetzner.cloud/v1"}
"""Where each vendor says that its API is: a secret that names no hosts is sent there alone."""
ACCOUNT: Final = "account"  # The fact that tells this account from any other, once it was proven.


class Provider(Shape, frozen=True):
    """Where the account is and how much may be done through it."""

    family: Annotated[Literal["hetzner_cloud"], Meta(description="Which vendor's API it speaks.")]
    credential: Annotated[
        str,
        Meta(
            description="Name of the secret that holds the token; never the token itself.",
            pattern=r"^secret://[a-z0-9][a-z0-9._-]{0,62}$",
        ),
    ]
    endpoint: Annotated[
        str, Meta(description="Base address of the API, with its version.", pattern=r"^https?://\S+$")
    ] = PUBLISHED["hetzner_cloud"]
    mode: Annotated[
        Literal["observe", "no-deletes", "run"],
        Meta(
            description="observe: look only; no-deletes: create and change; run: everything the guards allow."
        ),
    ] = "observe"


class Seen(Struct, frozen=True):
    """One sweep, and what must be among it if this is the account it was before."""

    swept: Inventory
    known: frozenset[str]
    orphans: tuple[Orphan, ...] = ()
    identity: str = ""


class ProviderLoop(Struct, frozen=True):
    """Validates the credential by one complete sweep and compares the account with what was seen before."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[Provider]) -> Seen | None:
        if entity.deleting:
            return None
        account = await self.world.accounts.newest(entity)
        swept = await account.sweep()
        orphans = await self._orphans(entity, swept)
        known: frozenset[str] = frozenset()
        # Things that went from an account prove nothing; behind another address or credential they do.
        if entity.facts.get("fingerprint") != account.fingerprint:
            known = remembered(entity.facts) | await carried(self.world, entity)
        if not another(known, swept):
            await self.world.accounts.proven(entity)
        return Seen(swept, known, orphans, account.identity)

    def plan(self, entity: Entity[Provider], found: Seen | None, now: float) -> Plan:
        if found is None:
            return Plan(gone=True)
        seen = found.swept
        if message := another(found.known, seen):
            return Plan(
                state=State.FAILED,
                reason=message,
                facts=entity.facts,
                conditions=(_same_account(entity, "False", message, now),),
                again_in=60.0,
            )
        facts = {
            "landmarks": list(seen.landmarks[:KEPT_LANDMARKS]),
            "fingerprint": seen.fingerprint,
            ACCOUNT: found.identity,
            "servers": seen.servers,
            "zones": seen.zones,
            "marked": seen.marked,
        }
        facts |= {"calls": to_builtins(seen.calls)} if seen.calls else {}
        reason = f"credential valid; servers: {seen.servers}, {seen.marked} of them ours; zones: {seen.zones}"
        plan = Plan(reason=reason, facts=facts, conditions=(_same_account(entity, "True", "", now),))
        if not found.orphans:
            return plan
        told = sentence(found.orphans, "server", f"provider {entity.name}")
        return structs.replace(plan, state=State.DEGRADED, reason=told, facts=facts | listed(found.orphans))

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"a provider has nothing to {act.verb}")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT

    async def _orphans(self, entity: Entity[Provider], swept: Inventory) -> tuple[Orphan, ...]:
        """Servers of ours that are newer than our database; the latest of a host is the one that counts."""
        here = self.world.habits.installation
        made = sorted(swept.made, key=lambda server: int(server.id))
        ours = {ref: server for server in made if (ref := entity_in(server.labels, here))}
        known = await self.world.intent.known(ours) if ours else frozenset()
        left = {ref: server for ref, server in ours.items() if ref not in known and kind_of(ref) == "host"}
        newer = await lost(self.world, [server.labels for server in left.values()])
        return tuple(
            _orphan(entity.name, ref, server)
            for ref, server in left.items()
            if made_by(server.labels) in newer
        )


def _orphan(provider: str, ref: Ref, server: Server) -> Orphan:
    """Its agent is not expected to be heard: what it was let in with is not in our database."""
    name = host_of(ref, server)
    spec = {"provider": provider, "agent": False, **{field: getattr(server, field) for field in MAKE}}
    project, dot, workspace = server.labels.get(WORKSPACE, "").partition(".")
    placed = {"project": project, "workspace": workspace} if dot and "." not in workspace else {}
    return Orphan(
        kind="host",
        name=name or server.name,
        spec=spec if name else None,
        act=made_by(server.labels),
        item=ITEM,
        ref=ref,
        **placed,
    )


def _same_account(
    entity: Entity[Provider], status: Literal["True", "False"], message: str, now: float
) -> Condition:
    reason = "LandmarksSeen" if status == "True" else "LandmarksMissing"
    known = (c.since for c in entity.status.conditions if (c.type, c.status) == (SAME_ACCOUNT, status))
    since = next(known, 0.0) or now
    return Condition(type=SAME_ACCOUNT, status=status, reason=reason, message=message, since=since)


def _mode(spec: Shape) -> Mode:
    return Mode(spec.mode) if isinstance(spec, Provider) else Mode.OBSERVE


def published(spec: Shape) -> str:
    """The published address of the vendor whose account this is."""
    return PUBLISHED.get(spec.family, "") if isinstance(spec, Provider) else ""


def _known_as(entity: Entity[Provider]) -> tuple[str, ...]:
    """By its address and credential, and by what was proven with them; a name is the organization's own."""
    endpoint = entity.spec.endpoint.lower().rstrip("/")
    proven = (entity.facts[ACCOUNT],) if entity.facts.get(ACCOUNT) else ()
    return hash_of([entity.scope.organization, entity.spec.credential, endpoint]), *proven


PROVIDER: Final = Kind(
    name="provider",
    plural="providers",
    about="An account at a vendor; its mode bounds everything that is done through it.",
    level="organization",
    spec=Provider,
    example={"family": "hetzner_cloud", "credential": "secret://hetzner", "mode": "observe"},
    loop=ProviderLoop,
    every=Every(900),
    on=(On("entity.config_changed"),),
    secrets={"credential": "endpoint"},
    published=published,
    mode=_mode,
    known_as=_known_as,
    adopts="host",
    columns={"FAMILY": "spec.family", "MODE": "spec.mode"},
)
