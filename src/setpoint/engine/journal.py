"""The act protocol: begin, call, finish, settle. No change of the world without a row before and after it."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine import consent
from setpoint.engine.case import strictest
from setpoint.engine.company import account_of
from setpoint.engine.entity import AnyEntity, AnyJson, Declared, Ref, Scope
from setpoint.engine.errors import FAILURES, Conflict, Denied, Failure, Missing, Rejected, Transient
from setpoint.engine.kind import Kinds, entity_from
from setpoint.engine.ledger import Parked, Protection, item_key
from setpoint.engine.levers import Levers
from setpoint.engine.loop import Loop
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Verb
from setpoint.engine.request import PASTS
from setpoint.engine.rows import Act, ActState, Approval, Audit, Mode, evidence, told
from setpoint.engine.runtime import Meter, Runtime
from setpoint.engine.store import PASTS_OF, Change, Drop, Expect, Put, Store
from setpoint.engine.tenure import Tenure

CALL_SECONDS = 15.0


async def _anybody(approver: str, scope: Scope) -> bool:
    return True


class Mandate(Struct, frozen=True):
    """What the acts of one pass rest on: the intent that was read, the levers it was judged under, and who
    agreed. Every begin proves all of it anew.
    """

    entity: AnyEntity
    levers: Levers
    agreed: tuple[Approval, ...] = ()

    def after(self, act: Act) -> "Mandate":
        """The mandate without what this act used up."""
        if not act.approval:
            return self
        return Mandate(self.entity, self.levers, tuple(consent.spend(a, act.item) for a in self.agreed))


class Journal(Struct, frozen=True):
    """Begins, calls, finishes and settles acts: every change that a loop makes goes through it.

    Steps of pipelines do not; `runners/steps.py` records those.
    """

    store: Store
    kinds: Kinds
    runtime: Runtime
    meter: Meter
    tenure: Tenure
    call_seconds: float = CALL_SECONDS
    stopping: Callable[[], bool] = lambda: False
    halted: Callable[[], str] = lambda: ""
    """Who stops everything on this machine, and why: a switch that needs no store."""
    entitled: Callable[[str, Scope], Awaitable[bool]] = _anybody
    """Whether this approver may still approve, asked again when the approval is used."""
    broke: Callable[[Ref, Exception], None] = lambda ref, bug: None
    """Hears of a bug: an act raised none of the five errors. A look decides about its item; others go on."""
    reached: Callable[[str], None] = lambda _: None
    """Told of every named point of the protocol; tests end the process there."""

    async def enact(self, mandate: Mandate, loop: Loop, action: Action) -> Act:
        """One action through the whole protocol; the act says how it ended."""
        act = await self.begin(mandate, action)
        ended = await self._call(mandate.entity, loop, act)
        await self._finish(mandate.entity, act, ended)
        return ended

    async def begin(self, mandate: Mandate, action: Action) -> Act:
        """One commit: our shard, the generation planned for, every lever unmoved. Or nothing begins."""
        if self.stopping():
            raise Conflict("this process is about to end")
        if source := self.halted():
            raise Denied(f"{Mode.STOP} by {source}")
        entity, levers, agreed = mandate.entity, mandate.levers, consent.spent_by(mandate.agreed, action)
        lever, now = strictest(levers.levers), self.runtime.now()
        if lever.mode in (Mode.STOP, Mode.OBSERVE) or (lever.mode is Mode.NO_DELETES and action.destructive):
            raise Denied(f"{lever.mode} by {lever.source}")
        if agreed is not None and not await self.entitled(agreed.approver, entity.scope):
            raise Denied(f"{agreed.approver} may no longer approve this")
        if agreed is not None and agreed.expires_at <= now:
            raise Conflict(f"approval {agreed.id} has run out")
        fence = self.tenure.fence(account_of(self.kinds, entity.declared), self.call_seconds)
        act = self._act(entity, action, agreed, fence)
        key = item_key(entity.ref, action.item)
        parked = Parked(key=key, domain=entity.ref, item=action.item, until=action.until, value=action.before)
        change = Change(
            expects=(
                fence,
                Expect(Declared, entity.ref, "generation", entity.generation),
                # Read here once more: whatever moved since the judgement, back again or not, refuses it.
                *levers.unchanged,
                # As well: a protection set a moment ago counts.
                *((Expect(Protection, key),) if action.destructive else ()),
            ),
            writes=(
                Put(act),
                *((Put(consent.spend(agreed, action.item)),) if agreed else ()),
                *((Put(parked),) if action.verb is Verb.PARK and action.until else ()),
            ),
            audit=(_proof(entity, act, now),),
        )
        self.reached("begin.before_commit")
        await self.store.commit(change)
        self.reached("begin.after_commit")
        return act

    def _act(self, entity: AnyEntity, action: Action, agreed: Approval | None, fence: Expect) -> Act:
        now = self.runtime.now()
        return Act(
            id=self.runtime.new_id(),
            domain=entity.ref,
            organization=entity.declared.tenant,
            verb=action.verb,
            item=action.item,
            before=action.before,
            after=action.after,
            deadline=now + self.call_seconds,
            began_at=now,
            shard=fence.key,
            epoch=int(fence.value or 0),
            generation=entity.generation,
            approval=agreed.id if agreed else "",
            explicit=action.explicit,
        )

    async def settle(self, entity: AnyEntity, loop: Loop, acts: Iterable[Act]) -> tuple[Act, ...]:
        """Decide open acts by looking; what stays undecided keeps its item unknown. Returns all of them."""
        decided = []
        for act in acts:
            if not act.open:
                decided.append(act)
                continue
            then = await self.as_begun(entity, act)
            # What is told was so when it was asked for: while we are stopped before we hear it, it may land.
            asked = self.runtime.now()
            look = await loop.look(then, act.item)
            verdict = settled(act, look, asked, loop.settles_in)
            if verdict is not None:
                found = _found_in_words(act, verdict, look)
                detail = f"{act.detail}; {found}" if act.detail else found
                fault: Literal["", "item"] = "" if verdict is ActState.DONE else "item"
                ended = replace(act, state=verdict, fault=fault, ended_at=self.runtime.now(), detail=detail)
                self.reached("settle.mid")
                await self._finish(entity, act, ended)
                act = ended  # noqa: PLW2901
            decided.append(act)
        return tuple(decided)

    async def as_begun(self, entity: AnyEntity, act: Act) -> AnyEntity:
        """As it was declared when this act began: what was ordered is looked for as it was ordered."""
        if act.generation == entity.generation:
            return entity
        pasts = await self.store.read(PASTS_OF, ref=entity.ref, limit=PASTS)
        # One that was moved on by a part of it has no past of its own.
        then = next((past for past in pasts if past.generation <= act.generation), None)
        if then is None:
            return entity
        return entity_from(self.kinds, replace(entity.declared, spec=then.spec), entity.status)

    async def _call(self, entity: AnyEntity, loop: Loop, act: Act) -> Act:
        ended = replace(act, state=ActState.DONE)
        self.reached("call.before")
        try:
            await self._in_time(entity, loop, act)
        except FAILURES as error:
            ended = _after_error(act, error)
        except Exception as bug:  # noqa: BLE001 - one key that raises must not cost the others their turn
            self.broke(entity.ref, bug)  # Its text may hold anything, secrets too: that is for the log.
            said = f"raised {type(bug).__name__}; the log has more"
            ended = replace(act, state=ActState.UNKNOWN, detail=said)
        self.reached("call.after")
        return replace(ended, ended_at=self.runtime.now())

    async def _in_time(self, entity: AnyEntity, loop: Loop, act: Act) -> None:
        """Counted from its begin, not from now: whoever settles it counts from its deadline."""
        left = act.deadline - self.runtime.now()
        if source := self.halted():  # Set while it began: it was not called, and may be tried later.
            raise Transient(f"not called: {Mode.STOP} by {source}", retry_after=1.0)
        if left <= 0:
            raise Transient("its time was up before it was called", retry_after=0.0)
        await self.runtime.within(left, loop.act(entity, act))

    async def _finish(self, entity: AnyEntity, known: Act, act: Act) -> None:
        """How it ended, unless somebody else has found that out meanwhile: Conflict."""
        now = self.runtime.now()
        self.meter.acted(entity.declared.kind, act.verb, act.state)
        said = f"{act.verb} {act.item}" + (f": {act.detail}" if act.detail else "")
        event = told(entity.declared, f"act.{act.state}", said, now)
        writes: list[Put | Drop] = [Put(act)]
        if _leaves_the_park(act):
            writes.append(Drop(Parked, item_key(entity.ref, act.item)))
        still_open = Expect(Act, act.id, "state", known.state)
        self.reached("finish.before_commit")
        await self.store.commit(Change((still_open,), tuple(writes), (event,), (_proof(entity, act, now),)))
        self.reached("finish.after_commit")


def _after_error(act: Act, error: Failure) -> Act:
    """The act as its error leaves it: whether it may have landed, and whose failure it is."""
    ended = replace(act, state=ActState.FAILED, fault="item", detail=str(error))
    match error:
        case Missing() if act.verb is Verb.DELETE:
            ended = replace(ended, state=ActState.DONE, fault="")  # Deleting what is gone is done.
        case Transient(landed=True) | Conflict():
            # Of a conflict a look tells as well: perhaps we ourselves were there first, in an earlier life.
            ended = replace(ended, state=ActState.UNKNOWN)
        case Transient() if error.retry_after is not None:
            ended = replace(ended, fault="", deferred=True)
        case Transient() | Denied():
            ended = replace(ended, fault="account")  # Perhaps: so would every other call end then.
        case Missing() | Rejected():
            pass
    return ended


def settled(act: Act, look: AnyJson | Absence, now: float, settles_in: float) -> ActState | None:
    """What a look says about an act whose answer never came; None while it may still land."""
    if look is UNKNOWN:
        return None
    removed = act.verb is Verb.DELETE
    if act.verb is Verb.PARK and look is ABSENT:
        return ActState.DONE  # What is parked need not be listed any more.
    if (look is ABSENT) == removed and (removed or act.verb is Verb.CREATE or look == act.after):
        return ActState.DONE
    return ActState.FAILED if now > act.deadline + settles_in else None


def _found_in_words(act: Act, verdict: ActState, look: AnyJson | Absence) -> str:
    """How a look decided an act, as its event tells it."""
    if verdict is ActState.DONE:
        return "a look shows that it took effect"
    if look is ABSENT:
        return "a look does not find it"
    return "a look still finds it" if act.verb is Verb.DELETE else "a look shows another value"


def _leaves_the_park(act: Act) -> bool:
    """Back, gone, or never parked: its parking is over."""
    if act.verb in (Verb.UNPARK, Verb.DELETE):
        return act.state is ActState.DONE
    return act.verb is Verb.PARK and act.state is ActState.FAILED


def _proof(entity: AnyEntity, act: Act, at: float) -> Audit:
    about = {"act": act.id, "verb": act.verb, "item": act.item, "approval": act.approval, "said": act.detail}
    return evidence(entity.declared, "scheduler", f"act.{act.state}", at, **about)
