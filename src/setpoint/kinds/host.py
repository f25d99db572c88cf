"""A server with a life of its own: made slowly, watched by heartbeat, parked before it is destroyed."""

from typing import Annotated, Final

from msgspec import Meta, Struct, structs
from msgspec.structs import replace

from setpoint.capabilities.compute import Compute, Order, Server
from setpoint.capabilities.mark import PARKED, WORKSPACE, is_ours, mark, marks_of
from setpoint.capabilities.reach import account_of
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyJson, Condition, Entity, Scope, Shape, State, kind_of
from setpoint.engine.errors import Conflict, Missing, Transient
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.moments import clock
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Plan, Verb
from setpoint.engine.rows import Act, Sign
from setpoint.kinds import liveness
from setpoint.kinds.make import ITEM, Makes, differences, first_of, made_as, makes_of, server_name, value_of

WEIGHT: Final = 20
BOOT_SECONDS: Final = 1.0
"""How often a server that is being made is looked at."""
SILENT_SECONDS: Final = 0.1
"""How soon after its agent fell silent the server of a host is looked at."""
SERVER_ID: Final = "server_id"  # The fact that a server was there.
PARKED_UNTIL: Final = "parked_until"  # The fact that it is parked, and for how long.


class Host(Shape, frozen=True):
    """One server at a provider."""

    provider: Annotated[str, Meta(description="The account it is made in, by name.", min_length=1)]
    size: Annotated[str, Meta(description="The vendor's server type.", pattern=r"^[a-z0-9-]{1,32}$")] = "cx22"
    image: Annotated[str, Meta(description="The image it is made from.", pattern=r"^[a-z0-9._-]{1,64}$")] = (
        "debian-12"
    )
    location: Annotated[str, Meta(description="Where it stands.", pattern=r"^[a-z0-9-]{1,32}$")] = "fsn1"
    agent: Annotated[bool, Meta(description="Whether our agent runs on it and must be heard.")] = True


class Seen(Struct, frozen=True):
    """The server as listed, and the last sign of its agent; if it is gone, how many others of the account."""

    makes: Makes
    sign: Sign | None
    disputed_at: float = 0.0
    vanished: int = 0
    watched: int = 0


class HostLoop(Struct, frozen=True):
    """Holds one server at what is declared."""

    world: World
    settles_in: float

    async def observe(self, entity: Entity[Host]) -> Seen:
        sign = await self._sign(entity)
        self._tell_silence(entity, sign)
        account = await account_of(self.world, entity, entity.spec.provider)
        listed = await account.compute.servers(about=server_name(entity))
        ours = [server for server in listed if self._is_ours(entity, server)]
        seen = Seen(makes_of(entity, ours), sign, await self._disputed_at(entity))
        if ours or SERVER_ID not in entity.facts:
            return seen
        known = await self._known(entity)
        gone = known - {server.id for server in listed}
        return replace(seen, vanished=len(gone), watched=len(known))

    def plan(self, entity: Entity[Host], seen: Seen, now: float) -> Plan:
        plan, makes = self._planned(entity, seen, now), seen.makes
        servers = {server.name: server.labels for server in makes.older}
        if standing := makes.current or next(reversed(makes.older), None):
            servers[ITEM] = standing.labels
        return structs.replace(plan, marks=marks_of(plan.actions, servers))

    def _planned(self, entity: Entity[Host], seen: Seen, now: float) -> Plan:
        current, older = seen.makes.current, seen.makes.older
        if seen.makes.copies:
            names = ", ".join(f"{server.name} ({server.id})" for server in seen.makes.copies)
            return Plan(state=State.DEGRADED, reason=f"our mark is on servers we did not make: {names}")
        server = current or (older[-1] if older else None)
        if entity.deleting:
            return self._leaving(entity, server, now)
        if server is None:
            return Plan(
                actions=(Action(verb=Verb.CREATE, item=ITEM, after=_wanted(entity.spec)),),
                state=State.PENDING,
                reason="missing at the provider" if SERVER_ID in entity.facts else "not at the provider yet",
                # Of which make it is must be known before it is seen: what is declared may change until then.
                facts={"server": server_name(entity), **entity.facts},
                conditions=entity.status.conditions,
                desired=1,
                vanished=seen.vanished,
                watched=seen.watched,
            )
        plan = self._staying(entity, server, seen, now)
        return _relieved(plan, older) if current is not None and older else plan

    async def act(self, entity: Entity[Host], act: Act) -> None:
        compute = (await account_of(self.world, entity, entity.spec.provider)).compute
        server = await self._target(entity, compute, act)
        if server is None:
            await compute.create(await self._order(entity, act))
            return
        match act.verb:
            case Verb.CREATE:
                return  # A listing hid it: an act that our journal lost with its database may have made it.
            case Verb.REPLACE if made_as(server, act.after):
                return  # It was made by an earlier try; the older one goes when this one is well.
            case Verb.PARK:
                until = act.began_at + self.world.habits.park_seconds
                await compute.label(server.id, {**server.labels, PARKED: str(int(until))})
                await compute.power(server.id, False)
            case Verb.UNPARK:
                await compute.power(server.id, True)
                await compute.label(server.id, {k: v for k, v in server.labels.items() if k != PARKED})
            case Verb.UPDATE if server.size != act.after["size"]:
                await compute.resize(server.id, act.after["size"])
            case Verb.UPDATE:
                await compute.power(server.id, True)
            case _:
                await compute.delete(server.id)

    async def look(self, entity: Entity[Host], item: str) -> AnyJson | Absence:
        """Directly at the vendor, and at the agent: one that still beats says that its server is there."""
        compute = (await account_of(self.world, entity, entity.spec.provider)).compute
        # What leaves may be of an earlier make.
        last = entity.facts.get("server", "") if entity.deleting else ""
        server = await first_of(compute, (server_name(entity), last) if item == ITEM else (item,))
        replacing = entity.facts.get("server", server_name(entity)) != server_name(entity)
        if isinstance(server, Absence) and (replacing or item != ITEM):
            return server
        if isinstance(server, Absence):
            sign = await self._sign(entity)
            heartbeat = self.world.habits.heartbeat_seconds
            beats = liveness.alive(sign, (), heartbeat, self.world.now()).status == "True"
            return UNKNOWN if beats else ABSENT
        if not self._is_ours(entity, server):
            raise Conflict(f"a server called {server.name} exists without our mark")
        return value_of(server)

    async def _target(self, entity: Entity[Host], compute: Compute, act: Act) -> Server | None:
        """The server an act is about; None for one that is still to be made."""
        names = [act.item] if act.item != ITEM else [server_name(entity), entity.facts.get("server", "")]
        makes = act.verb in (Verb.CREATE, Verb.REPLACE)
        # Not every vendor refuses a second one of the same name, so what is to be made is asked for first.
        found = await first_of(compute, names[:1] if makes else names)
        if isinstance(found, Absence) and makes:
            return None
        if isinstance(found, Absence):
            raise Missing(f"{names[0]} is not at the provider")
        if makes and not self._is_ours(entity, found):
            raise Conflict(f"a server called {found.name} exists without our mark")
        return found

    def _tell_silence(self, entity: Entity[Host], sign: Sign | None) -> None:
        """Ends the pass in which silence begins: a provider that does not answer must not keep it from view.

        The next pass, a moment later, asks the provider about the server.
        """
        heartbeat, now = self.world.habits.heartbeat_seconds, self.world.now()
        condition = liveness.alive(sign, entity.status.conditions, heartbeat, now)
        told = entity.status.state is not State.READY or entity.deleting or not entity.spec.agent
        if condition.status == "False" and not told:
            raise Transient(f"{condition.message}; its server is looked at next", retry_after=SILENT_SECONDS)

    def _staying(self, entity: Entity[Host], server: Server, seen: Seen, now: float) -> Plan:
        wanted, found = _wanted(entity.spec), value_of(server)
        condition = liveness.alive(
            seen.sign, entity.status.conditions, self.world.habits.heartbeat_seconds, now
        )
        state, reason, again_in = self._life(entity, server, seen.sign, condition, now)
        if state is State.READY and (disputed := liveness.disputed(seen.disputed_at, now)):
            state, reason = State.DEGRADED, f"{reason}, but {disputed}"
        actions: tuple[Action, ...] = ()
        if wanted != found:
            verb = _change(server, wanted)
            guarded = entity.declared.protected
            action = Action(verb=verb, item=ITEM, before=found, after=wanted, protected=guarded)
            actions = (structs.replace(action, weight=WEIGHT),)
            state, reason = State.PENDING, f"differs at the provider: {differences(wanted, found)}"
        return Plan(
            actions=actions,
            state=state,
            reason=reason,
            conditions=(condition,) if entity.spec.agent else (),
            facts={"server": server.name, SERVER_ID: server.id, "address": server.address},
            happenings=liveness.missed(condition, entity.status.conditions),
            again_in=again_in,
            desired=1,
            actual=1,
            known=frozenset({ITEM, _item(entity, server)}),
        )

    def _life(
        self, entity: Entity[Host], server: Server, sign: Sign | None, condition: Condition, now: float
    ) -> tuple[State, str, float | None]:
        """Created, running, heard from, silent: one word, one sentence, and when to look again."""
        if server.status == "creating":
            return State.PENDING, "being made at the provider", BOOT_SECONDS
        if not entity.spec.agent:
            return State.READY, "running", None
        due = liveness.due_in(sign, self.world.habits.heartbeat_seconds, now)
        if condition.status == "Unknown":
            return State.PENDING, "running; waiting for its agent's first sign", due
        if condition.status == "False":
            return State.DEGRADED, f"running at the provider, but {condition.message}", None
        return State.READY, "running, agent alive", due

    def _leaving(self, entity: Entity[Host], server: Server | None, now: float) -> Plan:
        """Parked first, destroyed when its time is up; declared again before that, it comes back."""
        if server is None:
            return Plan(gone=True)
        until, item = float(server.labels.get(PARKED, "0")), _item(entity, server)
        plan = Plan(
            state=State.PENDING,
            reason=f"parked until {clock(until, now)}, and costs money until it is destroyed then; "
            "declare it again to get it back",
            facts=entity.facts,
            actual=1,
            known=frozenset({item}),
            again_in=max(0.1, until - now),
        )
        if until and server.status == "off" and now < until:
            return structs.replace(plan, facts={**entity.facts, PARKED_UNTIL: until})
        parked = bool(until) and server.status == "off"
        action = Action(
            verb=Verb.DELETE if parked else Verb.PARK,
            item=item,
            before=value_of(server),
            after=None if parked else {"parked": True},
            # Destroying what was parked completes what the parking was allowed for.
            explicit=parked or entity.deleting == "asked",
            protected=entity.declared.protected,
            weight=WEIGHT,
        )
        reason = "parked long enough, to be destroyed" if parked else "to be parked"
        return structs.replace(plan, actions=(action,), reason=reason, again_in=None)

    async def _order(self, entity: Entity[Host], act: Act) -> Order:
        spec = entity.spec
        return Order(
            name=server_name(entity),
            size=spec.size,
            image=spec.image,
            location=spec.location,
            user_data=await self._boot(entity, act) if spec.agent else "",
            labels={
                **mark(self.world.habits.installation, entity.ref, act),
                WORKSPACE: f"{entity.scope.project}.{entity.scope.workspace}",
            },
        )

    async def _boot(self, entity: Entity[Host], act: Act) -> str:
        token = await self.world.enrolment(entity.ref, act.id)
        # By file: the arguments of a process are for every user of the machine to read.
        lines = (
            "#!/bin/sh",
            "umask 077",
            'folder="${HOME:-/root}/.setpoint-agent"',
            'mkdir -p "$folder"',
            f"printf '%s\\n' {token} >\"$folder/enrolment\"",
            f'exec setpoint agent --url {self.world.habits.api_url} --token-file "$folder/enrolment"',
        )
        return "\n".join(lines) + "\n"

    async def _known(self, entity: Entity[Host]) -> set[str]:
        """Every server that the hosts of the same account are known to have."""
        account = next((ref for ref in entity.declared.refs if kind_of(ref) == "provider"), None)
        rows = await self.world.intent.inside(Scope(entity.scope.organization))
        hosts = [row for row in rows if row.kind == "host" and account in row.refs and not row.deleting]
        return {h.facts[SERVER_ID] for h in await self.world.intent.joined(hosts) if SERVER_ID in h.facts}

    async def _disputed_at(self, entity: Entity[Host]) -> float:
        agents = await self.world.intent.children(entity.ref, "agent")
        return max((agent.spec.disputed_at for agent in agents), default=0.0)

    async def _sign(self, entity: Entity[Host]) -> Sign | None:
        """The agent's last sign since this server was made."""
        agents = await self.world.intent.children(entity.ref, "agent")
        signs = await self.world.signs([agent.ref for agent in agents])
        return next(iter(signs.values()), None)

    def _is_ours(self, entity: Entity[Host], server: Server) -> bool:
        return is_ours(server.labels, self.world.habits.installation, entity.ref)


def _item(entity: Entity[Host], server: Server) -> str:
    """A server of another make goes by its name."""
    return ITEM if server.name == server_name(entity) else server.name


def _relieved(plan: Plan, older: tuple[Server, ...]) -> Plan:
    """What was replaced goes last, when the new one is well; replacing it was judged already."""
    if plan.state is not State.READY or plan.actions:
        return structs.replace(plan, reason=f"{plan.reason}; {older[0].name} stays until it is well")
    going = tuple(
        Action(verb=Verb.DELETE, item=s.name, before=value_of(s), explicit=True, weight=WEIGHT) for s in older
    )
    reason = f"replaced: {older[0].name} is to be destroyed"
    return structs.replace(plan, actions=going, state=State.PENDING, reason=reason, actual=1 + len(older))


def _wanted(spec: Host) -> dict[str, str]:
    return {"size": spec.size, "image": spec.image, "location": spec.location, "power": "on"}


def _change(server: Server, wanted: dict[str, str]) -> Verb:
    if not made_as(server, wanted):
        return Verb.REPLACE
    return Verb.UNPARK if PARKED in server.labels else Verb.UPDATE


def _loop(world: World) -> HostLoop:
    return HostLoop(world, world.habits.settle_seconds)


HOST: Final = Kind(
    name="host",
    plural="hosts",
    about="One server at a provider, with our agent on it.",
    level="workspace",
    spec=Host,
    example={"provider": "hetzner", "size": "cx22", "image": "debian-12", "location": "fsn1"},
    loop=_loop,
    every=Every(30),
    on=(On("entity.config_changed"), On("host.heartbeat_missing"), On("entity.state_changed", "reference")),
    references={"provider": "provider"},
    fixed={"provider": str},
    can_be_lost=True,
    columns={"SIZE": "spec.size", "ADDRESS": "status.facts.address"},
)
