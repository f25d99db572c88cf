"""What is on record about a loop: how it stands, its last decision, its held plans, its keys. Reads only."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import structs

from setpoint.cli.exits import Exit
from setpoint.engine.case import Case, strictest
from setpoint.engine.consent import remaining
from setpoint.engine.entity import State, Status
from setpoint.engine.guards import Verdict
from setpoint.engine.ledger import Ledger
from setpoint.engine.levers import read_levers
from setpoint.engine.plan import digest
from setpoint.engine.reconcile import Judged
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, Approval, PlanRow, PlanState
from setpoint.engine.store import ACTS_OPEN, ACTS_PAGE, PASSES_PAGE, PLANS_OF, PROTECTIONS_OF
from setpoint.loop.commands.onward import Road, held, needs_person
from setpoint.loop.commands.outlook import Outlook
from setpoint.loop.commands.session import Place
from setpoint.loop.station import OBSERVING, Station

ACTS_READ = 500
LOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """How one loop stands, by its last pass."""

    status: Status
    verdict: Verdict
    outlook: Outlook
    blind: bool = False
    """The last pass could not see: what is said besides is from before."""
    watching: bool = False
    unanswered: bool = False
    """A call of its own went wrong, and nobody knows yet whether it landed."""
    decided_in: float | None = None
    """Seconds until a look decides every act that another process left open; None: there is none."""

    @property
    def code(self) -> Exit:
        """What this comes to as an exit code."""
        if self.blind or self.unanswered or self.status.state in (State.FAILED, State.DEGRADED):
            return Exit.FAILED
        if needs_person(self.verdict, watching=self.watching):
            return Exit.HELD
        done = self.status.state is State.READY and self.decided_in is None
        return Exit.DONE if done else Exit.PENDING


async def judged_now(station: Station, name: str) -> Judged:
    """What a pass that enforces would decide now: our own looking only is no reason to withhold anything."""
    freely = structs.replace(
        station.reconciler, standards=structs.replace(station.reconciler.standards, levers=())
    )
    return await freely.judged(await station.entity(name), station.domains[name], dry=True)


async def standing(place: Place, station: Station, name: str, since: float | None = None) -> Standing:
    """By the last pass; `since` is when that began, and is asked only by whoever made it."""
    status = (await station.entity(name)).status
    blind = bool(status.failures) and since is not None and status.observed_at < since
    watching = OBSERVING in station.reconciler.standards.levers
    last = None if blind else await last_decision(station, name)
    outlook = Outlook(name, error=status.reason if blind else "")
    if last is not None:
        outlook = await outlook_of(place, station, name, (last.case, last.verdict))
    unended = await station.store.read(ACTS_OPEN, domain=station.ref(name))
    lost = [act for act in unended if act.detail]
    note = "; ".join(f"{act.verb} {act.item} has no answer: {act.detail}" for act in lost[:LOST_SHOWN])
    return Standing(
        status,
        last.verdict if last else Verdict(allowed=()),
        replace(outlook, note=note),
        blind,
        watching,
        unanswered=bool(lost),
        decided_in=_decided_in(station, name, [act for act in unended if not act.detail]),
    )


def _decided_in(station: Station, name: str, unended: list[Act]) -> float | None:
    """Seconds until a look can say of all of these whether they landed; None where there are none."""
    if not unended:
        return None
    latest = max(act.deadline for act in unended) + station.terms[name].settles_in
    return max(0.0, latest - station.runtime.now())


async def outlook_of(place: Place, station: Station, name: str, found: tuple[Case, Verdict]) -> Outlook:
    """What would be done, with the way on from each hold, and what of it is approved."""
    case, verdict = found
    actions = case.plan.actions
    approval = await station.store.get(Approval, verdict.approval) if verdict.approval else None
    declared = (await station.entity(name)).declared
    road = Road(
        place=place,
        kind=declared.kind,
        loop=name,
        limits=station.limits(name),
        lever=strictest((await read_levers(station.store, station.kinds, declared)).levers),
        plan=await on_record(station, name, digest(actions)),
        rejected=await on_record(station, name, digest(actions), PlanState.REJECTED) != "",
        approved=approval is not None,
    )
    return Outlook(
        name,
        actions,
        held(verdict, road),
        approved=approval is not None,
        agreed=len(remaining(approval, case.plan)) if approval else 0,
        left=tuple(action.item for action in actions if approval and action.item in case.left),
    )


async def last_decision(station: Station, name: str) -> Recorded | None:
    """The last pass that had something to decide, while that still stands."""
    if not (await ledger_of(station, name)).planned:
        return None
    passes = await station.store.read(PASSES_PAGE, ref=station.ref(name), after="", limit=1)
    return passes[0] if passes else None


async def ledger_of(station: Station, name: str) -> Ledger:
    ref = station.ref(name)
    return await station.store.get(Ledger, ref) or Ledger(ref=ref)


async def held_plans(
    station: Station, names: Iterable[str], state: PlanState = PlanState.HELD
) -> list[PlanRow]:
    """Plans of these loops that wait for a person, or are in another state; the newest of each first."""
    found = [plan for name in names for plan in await station.store.read(PLANS_OF, ref=station.ref(name))]
    return [plan for plan in found if plan.state is state]


async def on_record(station: Station, name: str, wanted: str, state: PlanState = PlanState.HELD) -> str:
    """The id of the plan with this digest in this state; empty where nobody wrote one down yet."""
    plans = await held_plans(station, (name,), state)
    return next((plan.id for plan in plans if plan.digest == wanted), "")


async def keys_of(station: Station, name: str) -> frozenset[str]:
    """Every key that was seen, wanted, acted on or protected lately."""
    ref = station.ref(name)
    ledger, last = await ledger_of(station, name), await last_decision(station, name)
    acts = await station.store.read(ACTS_PAGE, domain=ref, after="", limit=ACTS_READ)
    protected = await station.store.read(PROTECTIONS_OF, domain=ref)
    planned = {action.item for action in last.case.plan.actions} if last else set()
    return frozenset({*ledger.known, *planned, *(a.item for a in acts), *(p.item for p in protected)})
