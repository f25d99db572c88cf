"""Everything that happens in an organization, told to somebody else's server, each event once on its way.

The loop only reads on in the record: a delivery for each event that is wanted, and how far it has read, are
written in one commit. The worker sees the deliveries through.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Final

from msgspec import Meta, Struct

from setpoint.capabilities.chronicle import cloud_event
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Entity, Ref, Shape
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind
from setpoint.engine.plan import ABSENT, Absence, Plan, Start
from setpoint.engine.rows import Act, Event

AT_ONCE: Final = 200
BY_NAME: Final = r"^secret://[a-z0-9][a-z0-9._-]{0,62}$"


class Webhook(Shape, frozen=True):
    """Where events are posted, and which."""

    url: Annotated[
        str,
        Meta(description="Where events are posted.", pattern=r"^https?://[^\s/]+(/\S*)?$", max_length=2000),
    ]
    secret: Annotated[
        str, Meta(description="Name of the secret that signs them; never the secret itself.", pattern=BY_NAME)
    ]
    events: Annotated[
        tuple[str, ...],
        Meta(description="Types of events, such as task.* or act.done.", min_length=1, max_length=50),
    ] = ("*",)
    enabled: Annotated[
        bool, Meta(description="Whether anything is told; what happens meanwhile never is.")
    ] = True


class Seen(Struct, frozen=True):
    """What happened since the last look, and where the record stands."""

    events: tuple[Event, ...]
    head: int


class WebhookLoop(Struct, frozen=True):
    """Reads the record from where it stopped."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[Webhook]) -> Seen | None:
        if entity.deleting:
            return None
        organization, cursor = entity.scope.organization, entity.facts.get("revision")
        head = await self.world.chronicle.head(organization)
        if not isinstance(cursor, int) or not entity.spec.enabled:
            return Seen((), head)
        found = await self.world.chronicle.after(organization, cursor, AT_ONCE)
        return Seen(tuple(found), head)

    def plan(self, entity: Entity[Webhook], seen: Seen | None, now: float) -> Plan:
        if seen is None:
            return Plan(gone=True)
        before = entity.facts.get("revision")
        if not isinstance(before, int) or not entity.spec.enabled:
            words = "begins now" if entity.spec.enabled else "not enabled"
            return Plan(reason=words, facts={"revision": seen.head})
        wanted = tuple(event for event in seen.events if wants(entity.spec, event))
        full = len(seen.events) == AT_ONCE
        # Events that nobody wants move it only now and then: every move is a write.
        moved = seen.events[-1].revision if wanted or full else before
        return Plan(
            reason=f"told {', '.join(entity.spec.events)[:200]}",
            facts={"revision": moved},
            starts=deliveries(entity, wanted),
            again_in=0.1 if full else None,
        )

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"a webhook has nothing to {act.verb}: its deliveries are tasks")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT


def wants(spec: Webhook, event: Event) -> bool:
    """Not what happens to webhooks themselves: telling that would be told again, for ever."""
    return event.kind != "webhook" and any(fnmatchcase(event.type, each) for each in spec.events)


def deliveries(entity: Entity[Webhook], events: Sequence[Event]) -> tuple[Start, ...]:
    """Each on its own: one that cannot be delivered holds no other up, and the loop goes on meanwhile."""
    return tuple(
        Start(
            pipeline="webhook.deliver",
            target=Ref(f"{entity.ref}.{event.revision}"),
            key=str(event.revision),
            input={"webhook": entity.ref, "event": cloud_event(event)},
        )
        for event in events
    )


WEBHOOK: Final = Kind(
    name="webhook",
    plural="webhooks",
    about="Events of the organization, posted to somebody else's server and signed.",
    level="organization",
    spec=Webhook,
    example={"url": "https://hooks.example.org/events", "secret": "secret://events", "events": ["task.*"]},
    secrets={"secret": "url"},
    loop=WebhookLoop,
    every=Every(5),
    exact=True,
    columns={"URL": "spec.url", "EVENTS": "spec.events"},
)
