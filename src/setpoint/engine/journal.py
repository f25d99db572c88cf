"""The act protocol: begin, call, finish, settle. No change of the world without a row before and after it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from setpoint.engine import approval as approvals
from setpoint.engine.doubts import strictest
from setpoint.engine.entity import AnyEntity, AnyJson, Declared
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.kind import Kinds
from setpoint.engine.levers import read_levers
from setpoint.engine.loop import Loop
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Verb
from setpoint.engine.rows import Act, ActState, Approval, Audit, Installation, Mode, evidence, told
from setpoint.engine.runtime import Meter, Runtime
from setpoint.engine.store import Change, Expect, Put, Store

CALL_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Journal:
    """The only door to the outside world."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    meter: Meter
    epoch: int
    call_seconds: float = CALL_SECONDS
    stopping: Callable[[], bool] = lambda: False

    async def enact(self, entity: AnyEntity, loop: Loop, action: Action, agreed: Iterable[Approval]) -> Act:
        """One action through the whole protocol; the act says how it ended."""
        act = await self.begin(entity, action, approvals.covering(agreed, action))
        ended = await self._call(entity, loop, act)
        await self._finish(entity, ended)
        return ended

    async def begin(self, entity: AnyEntity, action: Action, agreed: Approval | None) -> Act:
        """One commit: our epoch, the generation planned for, every lever unmoved. Or nothing begins."""
        if self.stopping():
            raise Conflict("this process is about to end")
        levers = await read_levers(self.store, self.kinds, entity.declared)
        lever = strictest(levers.levers)
        if lever.mode in (Mode.STOP, Mode.OBSERVE) or (lever.mode is Mode.NO_DELETES and action.destructive):
            raise Denied(f"{lever.mode} by {lever.source}")
        now = self.runtime.now()
        act = Act(
            id=self.runtime.new_id(),
            domain=entity.ref,
            organization=entity.declared.tenant,
            verb=action.verb,
            item=action.item,
            before=action.before,
            after=action.after,
            deadline=now + self.call_seconds,
            began_at=now,
            epoch=self.epoch,
            generation=entity.generation,
            approval=agreed.id if agreed else "",
            explicit=action.explicit,
        )
        await self.store.commit(
            Change(
                expects=(
                    Expect(Installation, "installation", "epoch", self.epoch),
                    Expect(Declared, entity.ref, "generation", entity.generation),
                    *levers.unchanged,
                ),
                writes=(Put(act), *((Put(approvals.spend(agreed, action.item)),) if agreed else ())),
                audit=(_proof(entity, act, now),),
            )
        )
        return act

    async def settle(self, entity: AnyEntity, loop: Loop, acts: Iterable[Act]) -> tuple[Act, ...]:
        """Decide open acts by looking; what stays undecided keeps its item unknown. Returns all of them."""
        decided = []
        for act in acts:
            if not act.open:
                decided.append(act)
                continue
            look = await loop.look(entity, act.item)
            verdict = settled(act, look, self.runtime.now(), loop.settles_in)
            if verdict is not None:
                detail = f"settled by a look: {'not there' if look is ABSENT else 'there'}"
                act = replace(act, state=verdict, ended_at=self.runtime.now(), detail=detail)  # noqa: PLW2901
                await self._finish(entity, act)
            decided.append(act)
        return tuple(decided)

    async def _call(self, entity: AnyEntity, loop: Loop, act: Act) -> Act:
        state, detail = ActState.DONE, ""
        try:
            await self.runtime.within(self.call_seconds, loop.act(entity, act))
        except Missing as error:
            # Deleting what is gone is done; anything else needed it to be there.
            state = ActState.DONE if act.verb is Verb.DELETE else ActState.FAILED
            detail = str(error)
        except Transient as error:
            state, detail = (ActState.UNKNOWN if error.landed else ActState.FAILED), str(error)
        except Conflict as error:
            # Somebody was there first, perhaps we ourselves in an earlier life: a look tells.
            state, detail = ActState.UNKNOWN, str(error)
        except (Rejected, Denied) as error:
            state, detail = ActState.FAILED, str(error)
        return replace(act, state=state, detail=detail, ended_at=self.runtime.now())

    async def _finish(self, entity: AnyEntity, act: Act) -> None:
        now = self.runtime.now()
        self.meter.acted(entity.declared.kind, act.verb, act.state)
        said = f"{act.verb} {act.item}" + (f": {act.detail}" if act.detail else "")
        event = told(entity.declared, f"act.{act.state}", said, now)
        await self.store.commit(
            Change(writes=(Put(act),), events=(event,), audit=(_proof(entity, act, now),))
        )


def settled(act: Act, look: AnyJson | Absence, now: float, settles_in: float) -> ActState | None:
    """What a look says about an act whose answer never came; None while it may still land."""
    if look is UNKNOWN:
        return None
    removed = act.verb is Verb.DELETE
    if (look is ABSENT) == removed and (removed or act.verb is Verb.CREATE or look == act.after):
        return ActState.DONE
    return ActState.FAILED if now > act.deadline + settles_in else None


def _proof(entity: AnyEntity, act: Act, at: float) -> Audit:
    about = {"act": act.id, "verb": act.verb, "item": act.item, "approval": act.approval, "said": act.detail}
    return evidence(entity.declared, "scheduler", f"act.{act.state}", at, **about)
