"""An account at a vendor: its credential is proven and its inventory swept; nothing is ever changed here."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from msgspec import Meta

from setpoint.capabilities.account import Inventory, another, remembered
from setpoint.capabilities.reach import SAME_ACCOUNT, carried
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Condition, Entity, Shape, State
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, Absence, Plan
from setpoint.engine.rows import Act, Mode

KEPT_LANDMARKS: Final = 5


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
    ] = "https://api.hetzner.cloud/v1"
    mode: Annotated[
        Literal["observe", "no-deletes", "run"],
        Meta(
            description="observe: look only; no-deletes: create and change; run: everything the guards allow."
        ),
    ] = "observe"


@dataclass(frozen=True, slots=True)
class Seen:
    """One sweep, and what must be among it if this is the account it was before."""

    swept: Inventory
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class ProviderLoop:
    """Validates the credential by one complete sweep and compares the account with what was seen before."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[Provider]) -> Seen | None:
        if entity.deleting:
            return None
        account = self.world.account(entity)
        swept = await account.sweep()
        # Things that went from an account prove nothing; behind another address or credential they do.
        if entity.facts.get("fingerprint") == account.fingerprint:
            return Seen(swept, frozenset())
        return Seen(swept, remembered(entity.facts) | await carried(self.world, entity))

    def plan(self, entity: Entity[Provider], found: Seen | None, now: float) -> Plan:
        if found is None:
            return Plan(gone=True)
        seen = found.swept
        if message := another(found.known, seen):
            return Plan(
                state=State.FAILED,
                reason=message,
                facts=entity.facts,
                conditions=(_same_account("False", message),),
                again_in=60.0,
            )
        facts = {
            "landmarks": list(seen.landmarks[:KEPT_LANDMARKS]),
            "fingerprint": seen.fingerprint,
            "servers": seen.servers,
            "zones": seen.zones,
            "marked": seen.marked,
        }
        reason = f"credential valid; servers: {seen.servers}, {seen.marked} of them ours; zones: {seen.zones}"
        return Plan(reason=reason, facts=facts, conditions=(_same_account("True", ""),))

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"a provider has nothing to {act.verb}")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT


def _same_account(status: Literal["True", "False"], message: str) -> Condition:
    reason = "LandmarksSeen" if status == "True" else "LandmarksMissing"
    return Condition(type=SAME_ACCOUNT, status=status, reason=reason, message=message)


def _mode(spec: Shape) -> Mode:
    return Mode(spec.mode) if isinstance(spec, Provider) else Mode.OBSERVE


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
    mode=_mode,
    columns={"FAMILY": "spec.family", "MODE": "spec.mode"},
)
