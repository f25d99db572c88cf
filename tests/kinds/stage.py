"""Every kind on a store in memory, before a cloud in memory: a world to act in, entities to plan for."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import convert

from engine.fake_runtime import FakeRuntime
from kinds.fake_cloud import FakeCloud
from setpoint.capabilities.mark import mark
from setpoint.capabilities.probe import Probed
from setpoint.capabilities.webhook import Message
from setpoint.capabilities.world import Destination, Habits, Opened, World
from setpoint.engine.declare import Declarer
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import AnyEntity, Declared, Entity, Ref, Scope, Status
from setpoint.engine.intent import Intent
from setpoint.engine.loop import Loop
from setpoint.engine.owners import Owners
from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, Installation, Sign, Task
from setpoint.engine.store import SIGNS, TASKS_OF, Change, Put, held_acts
from setpoint.kinds import by_name
from setpoint.pipelines import by_name as pipelines_by_name
from setpoint.storage.memory import MemoryStore

HERE = "installation-1"
ACME, SHOP, PROD = Scope("acme"), Scope("acme", "shop"), Scope("acme", "shop", "prod")
ANN = Author(actor="ann", organization="acme")
KINDS = by_name()
SCOPES = {"installation": Scope(), "organization": ACME, "project": SHOP, "workspace": PROD}


class Probe:
    """Answers what a test says."""

    def __init__(self) -> None:
        self.answer = Probed(up=True, milliseconds=12.0, http_status=200)
        self.asked: list[tuple[Any, ...]] = []

    async def http(self, url: str, timeout: float) -> Probed:  # noqa: ASYNC109 - nothing waits here
        self.asked.append((url, timeout))
        return self.answer

    async def tcp(self, host: str, port: int, timeout: float) -> Probed:  # noqa: ASYNC109 - as above
        self.asked.append((host, port, timeout))
        return self.answer


class Webhook:
    """Takes every message, unless told to refuse."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.broken: list[Exception] = []

    async def send(self, message: Message) -> None:
        if self.broken:
            raise self.broken.pop(0)
        self.sent.append(message)


class Vault:
    """Opens every secret."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, Ref, int]] = []

    async def open(
        self, organization: str, name: str, by: Ref, to: Destination, *, newest: bool = False
    ) -> Opened:
        return Opened(value=f"opened {name}", version=1)

    async def used(self, organization: str, name: str, by: Ref, version: int) -> None:
        self.told.append((organization, name, by, version))


class Stage:
    """A world with nothing in it but an account; `set_up` declares organization, project and workspace."""

    def __init__(self) -> None:
        self.store, self.runtime, self.cloud = MemoryStore(), FakeRuntime(), FakeCloud()
        self.probe, self.webhook, self.vault = Probe(), Webhook(), Vault()
        self.worked: list[str] = []
        self.intent = Intent(self.store, KINDS)
        self.declarer = Declarer(self.store, KINDS, self.runtime)
        self.world = World(
            intent=self.intent,
            declarer=self.declarer,
            owners=Owners(self.store, KINDS),
            accounts=self,
            probe=self.probe,
            webhook=self.webhook,
            secrets=self.vault,
            habits=Habits(
                installation=HERE,
                api_url="https://setpoint",
                heartbeat_seconds=10.0,
                park_seconds=3600.0,
                settle_seconds=10.0,
            ),
            now=self.runtime.now,
            signs=self._signs,
            enrolment=self._enrolment,
            tasks=self._tasks,
            journal=partial(held_acts, self.store),
            pipelines=pipelines_by_name(),
        )

    async def account(self, provider: AnyEntity) -> FakeCloud:
        return self.cloud

    newest = account

    async def proven(self, provider: AnyEntity) -> None:
        self.worked.append(provider.name)

    async def set_up(self) -> "Stage":
        await self.put(Installation(id=HERE))
        await self.declare("organization", "acme")
        await self.declare("project", "shop")
        await self.declare(
            "provider", "hetzner", family="hetzner_cloud", credential="secret://hetzner", mode="run"
        )
        await self.declare("workspace", "prod", provider="hetzner")
        return self

    def loop(self, kind: str) -> Loop:
        make = KINDS[kind].loop
        assert make is not None
        return make(self.world)

    async def declare(self, kind: str, name: str, /, author: Author = ANN, **spec: Any) -> AnyEntity:
        scope = SCOPES[KINDS[kind].level]
        item = Declaration(kind=kind, scope=scope, name=name, spec=spec)
        [row] = await self.declarer.declare((item,), author)
        return await self.entity(row.ref)

    async def entity(self, ref: Ref) -> AnyEntity:
        found = await self.intent.entity(ref)
        assert found is not None
        return found

    async def put(self, *rows: Any) -> None:
        await self.store.commit(Change(writes=tuple(Put(row) for row in rows)))

    async def say(self, entity: AnyEntity, **status: Any) -> AnyEntity:
        """The same entity with this status."""
        await self.put(Status(ref=entity.ref, **status))
        return await self.entity(entity.ref)

    async def act(self, entity: AnyEntity, verb: Verb, item: str, after: Any = None) -> Act:
        """One act of this entity's loop, as the journal would make it."""
        act = act_of(entity, verb, item, after, self.runtime.now())
        await self.loop(entity.declared.kind).act(entity, act)
        return act

    async def _enrolment(self, host: Ref, act: str) -> str:
        return f"token of {host} by {act}"

    async def _signs(self, refs: Sequence[Ref]) -> Mapping[Ref, Sign]:
        encoded = "[" + ",".join(f'"{ref}"' for ref in refs) + "]"
        return {sign.ref: sign for sign in await self.store.read(SIGNS, refs=encoded)}

    async def _tasks(self, ref: Ref) -> Sequence[Task]:
        return await self.store.read(TASKS_OF, target=ref)


def act_of(entity: AnyEntity, verb: Verb, item: str, after: Any = None, now: float = 0.0) -> Act:
    return Act(
        id=f"act-{verb}-{item}",
        domain=entity.ref,
        organization="acme",
        verb=verb,
        item=item,
        after=after,
        began_at=now,
    )


def entity_of(
    kind: str, spec: Mapping[str, Any] | None = None, status: Mapping[str, Any] | None = None, **more: Any
) -> Entity[Any]:
    """An entity out of nothing, for plans: they need no store."""
    values = {"name": "thing", "scope": SCOPES[KINDS[kind].level], **more}
    ref = Ref(f"{kind}/{values.pop('identity', 'id000001')}")
    filled = dict(KINDS[kind].example if spec is None else spec)
    declared = Declared(ref=ref, kind=kind, spec=filled, **values)
    return Entity(declared, convert(filled, KINDS[kind].spec), Status(ref=ref, **(status or {})))


def ours(entity: AnyEntity, **more: str) -> dict[str, str]:
    """The labels of something that we made for this entity."""
    return mark(HERE, entity.ref, "act-1") | more
