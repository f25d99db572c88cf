"""Everything a judgement needs, read once: the plan's numbers become a case."""

from collections.abc import Callable

from msgspec import Struct, structs

from setpoint.engine import consent
from setpoint.engine.case import Case, Lever, Room
from setpoint.engine.company import Company, account_of
from setpoint.engine.doubts.memory import former_limits, parked_longest
from setpoint.engine.entity import AnyEntity, Declared, Status, hash_of, kind_of
from setpoint.engine.fleet import Fleet, Purse
from setpoint.engine.kind import Kinds
from setpoint.engine.ledger import Ledger
from setpoint.engine.levers import Levers, read_levers
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.loop import Loop
from setpoint.engine.plan import Plan, Verb
from setpoint.engine.rows import Act, Approval
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import APPROVALS_OF, PROTECTIONS_OF, RELEASED_OF, Store, held_acts
from setpoint.words import add_article


class Standards(Struct, frozen=True):
    """What each kind and domain is held to."""

    limits: Callable[[Declared], Limits]
    code: Callable[[str], str]
    """Kind -> a fingerprint of the code that observes and acts for it."""
    every: Callable[[str], float]
    """Kind -> seconds between two looks."""
    unmarked: bool = False
    """Whether things carry no mark: then a memory that was lost cannot be told from one that is new."""
    levers: tuple[Lever, ...] = ()  # Besides the switches: a run that only observes.

    def window(self, declared: Declared) -> float:
        """How far back any guard looks at acts."""
        limits = self.limits(declared)
        return max(HOUR, limits.contested_seconds, limits.contested_intervals * self.every(declared.kind))


class Gathered(Struct, frozen=True):
    """A case, the levers it is judged under, who agreed to it beforehand, and the purses of its deletes."""

    case: Case
    levers: Levers
    agreed: tuple[Approval, ...]
    purses: tuple[Purse, ...]


class Gatherer(Struct, frozen=True):
    """Reads; decides nothing."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    standards: Standards
    company: Company
    proposed: tuple[Declared, ...] = ()
    """What a dry run asks about, instead of what is declared."""

    async def gathered(self, entity: AnyEntity, loop: Loop, plan: Plan, recent: tuple[Act, ...]) -> Gathered:
        declared, now = entity.declared, self.runtime.now()
        limits, every = self.standards.limits(declared), self.standards.every(declared.kind)
        levers = await read_levers(self.store, self.kinds, declared, self.proposed)
        ledger = await self.store.get(Ledger, entity.ref) or Ledger(ref=entity.ref)
        destroys = any(action.destructive for action in plan.actions)
        purses, rooms = await self._rooms(declared, limits) if destroys else ((), ())
        account = account_of(self.kinds, declared)
        said = await self.store.read(APPROVALS_OF, ref=entity.ref) if plan.actions else []
        case = Case(
            plan=await self._waiting(declared, plan),
            ledger=ledger,
            limits=limits,
            now=now,
            levers=(*levers.levers, *self.standards.levers),
            recent=recent,
            deleting=entity.deleting == "asked",
            settles_in=loop.settles_in,
            interval=every,
            footing=hash_of([self.standards.code(declared.kind), limits, levers.flips]),
            rooms=rooms,
            protected=await self._protected(declared) if destroys else frozenset(),
            released=await self._released(declared) if plan.actions else {},
            others=self.company.tried(account, entity.ref) if plan.actions else (),
            can_be_lost=self.kinds[declared.kind].can_be_lost,
            elsewhere=self.company.elsewhere(account, entity.ref, acted=True),
            recovered=self.company.recovered(account),
            left=consent.left_out(said, plan),
            newer=await self._newer(plan) if plan.marks else frozenset(),
            unmarked=self.standards.unmarked,
        )
        case = structs.replace(case, former=former_limits(case))
        case = structs.replace(case, plan=parked_longest(case))
        strict = tuple(purse.under(case.in_force) for purse in purses)
        return Gathered(case, levers, consent.live(said, now), strict)

    async def _rooms(self, declared: Declared, limits: Limits) -> tuple[tuple[Purse, ...], tuple[Room, ...]]:
        fleet = Fleet(self.store, self.kinds)
        purses = await fleet.purses(declared, limits)
        return purses, await fleet.rooms(purses, self.runtime.now())

    async def _newer(self, plan: Plan) -> frozenset[str]:
        """Acts are never forgotten: one that is not there was made after this database was."""
        held = await held_acts(self.store, plan.marks.values())
        return frozenset(item for item, act in plan.marks.items() if act not in held)

    async def _protected(self, declared: Declared) -> frozenset[str]:
        rows = await self.store.read(PROTECTIONS_OF, domain=declared.ref)
        return frozenset(row.item for row in rows)

    async def _released(self, declared: Declared) -> dict[str, float]:
        rows = await self.store.read(RELEASED_OF, domain=declared.ref)
        return {row.item: row.at for row in rows}

    async def _waiting(self, declared: Declared, plan: Plan) -> Plan:
        """Names the first thing it refers to that has never been there, if something is to be created."""
        if not any(action.verb is Verb.CREATE for action in plan.actions):
            return plan
        for ref in declared.refs:
            if self.kinds[kind_of(ref)].loop is None:
                continue
            status = await self.store.get(Status, ref) or Status(ref=ref)
            if not status.ready_at:
                named = await self.store.get(Declared, ref)
                sort = add_article(kind_of(ref))
                title = f"{named.kind} {named.name}" if named else f"{sort} not stored yet"
                return structs.replace(plan, waits_for=f"{title}, which is {status.state}: {status.reason}")
        return plan
