"""Dry runs: what a proposal would do, by the same loops and guards, with nothing stored or changed."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.bounds import DRY_RUNS
from setpoint.engine.conclude import sentence
from setpoint.engine.entity import AnyEntity, Declared, Ref
from setpoint.engine.errors import FAILURES
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kinds
from setpoint.engine.loop import Loop
from setpoint.engine.plan import Action, digest
from setpoint.engine.reconcile import Reconciler
from setpoint.engine.rows import HoldRow, PlanRow, PlanState, Wake
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import QUESTIONS_IN, WAKES_OF, Change, Drop, Put, Store

AT_ONCE: Final = 50


class Rehearsal(Struct, frozen=True):
    """Answers plan requests in the interactive lane."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    reconciler: Reconciler
    loops_over: Callable[[Intent], Mapping[str, Loop]]
    """The same loops, reading intent through a proposal."""

    async def answer(self, ref: Ref) -> None:
        """Works out one asked plan and stores the answer."""
        asked = await self.store.get(PlanRow, ref.partition("/")[2])
        wakes = await self.store.read(WAKES_OF, ref=ref)
        writes: list[Put | Drop] = [Drop(Wake, wake.id) for wake in wakes]
        if asked is not None and asked.state is PlanState.ASKED:
            writes += await self._surplus(asked.organization)
            writes.append(Put(await self._worked_out(asked)))
        if writes:
            await self.store.commit(Change(writes=tuple(writes)))

    async def _surplus(self, organization: str) -> list[Drop]:
        """The oldest answers of an organization that has as many as it keeps; held plans are none of them."""
        most = DRY_RUNS.most + AT_ONCE
        kept = await self.store.read(
            QUESTIONS_IN, organization=organization, state=PlanState.SHOWN, limit=most
        )
        return [Drop(PlanRow, each.id) for each in kept[: max(0, len(kept) + 1 - DRY_RUNS.most)]]

    async def _worked_out(self, asked: PlanRow) -> PlanRow:
        proposed = asked.proposals
        intent = Intent(self.store, self.kinds, proposed)
        loops = self.loops_over(intent)
        actions: list[Action] = []
        holds: list[HoldRow] = []
        notes: list[str] = []
        for domain in await self._domains(intent, proposed):
            label = f"{domain.declared.kind}/{domain.name}"
            try:
                judged = await self.reconciler.judged(
                    domain, loops[domain.declared.kind], dry=True, proposed=proposed
                )
            except FAILURES as error:
                notes.append(f"{label}: {error}")
                continue
            actions += [replace(action, item=f"{label} {action.item}") for action in judged.plan.actions]
            holds += [replace(hold, message=f"{label}: {hold.message}") for hold in judged.verdict.holds]
            if judged.plan.actions:
                notes.append(f"{label}: {sentence(judged.plan.actions)}")
        return replace(
            asked,
            state=PlanState.SHOWN,
            digest=digest(actions),
            actions=tuple(actions),
            holds=tuple(holds),
            note="; ".join(notes),
            changed_at=self.runtime.now(),
            proposals=(),  # They are answered, and may be large.
        )

    async def _domains(self, intent: Intent, proposed: tuple[Declared, ...]) -> list[AnyEntity]:
        """The entities whose loops would judge this proposal, each once."""
        refs: dict[Ref, None] = {}
        for row in proposed:
            judge = row.parent if self.kinds[row.kind].loop is None else row.ref
            if judge is not None:
                refs[judge] = None
        found = [await intent.entity(ref) for ref in refs]
        return [entity for entity in found if entity is not None]
