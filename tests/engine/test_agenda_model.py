"""Who is due, held against a naive model: whatever happens in whatever order, both name the same key next."""

from dataclasses import dataclass, replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from setpoint.engine.agenda import AGE_SECONDS, SLOT_SECONDS, Agenda, Due
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

EVERYBODY = [Ref(f"zone/{name}") for name in "abcdefgh"]
KEYS = st.sampled_from(EVERYBODY)
LANES = st.sampled_from(Lane)
TENANTS = st.sampled_from(["acme", "bolt", "corn", ""])
URGENCY = {lane: place for place, lane in enumerate(Lane)}


@dataclass(frozen=True)
class Waiting:
    ref: Ref
    lane: Lane
    tenant: str
    since: float


@dataclass(frozen=True)
class Timer:
    ref: Ref
    lane: Lane
    tenant: str
    slot: int
    batch: int
    """Timers of one slot, lane and tenant ring together, unless one of them left for an earlier slot."""


@dataclass(frozen=True)
class Running:
    ref: Ref
    tenant: str
    again: Lane | None = None


class Model:
    """The same promises, in the slowest and plainest way: lists, searched whole."""

    def __init__(self) -> None:
        self.waiting: list[Waiting] = []
        self.timers: list[Timer] = []
        self.batches: dict[tuple[int, Lane, str], int] = {}
        self.timers_set = 0
        self.running: list[Running] = []
        self.rings: dict[Lane, list[str]] = {lane: [] for lane in Lane}
        """The tenants that wait in a lane, in the order of their turns."""
        self.last_tenant: dict[Lane, str] = {}
        self.last_turn = dict.fromkeys(Lane, 0)
        self.turns = 0

    def tenant_of(self, ref: Ref) -> str:
        entries = (*self.waiting, *self.running, *self.timers)
        return next((entry.tenant for entry in entries if entry.ref == ref), "")

    def wake(self, ref: Ref, lane: Lane, now: float, tenant: str) -> None:
        tenant = tenant or self.tenant_of(ref)
        for entry in self.running:
            if entry.ref == ref:
                again = lane if entry.again is None else min(lane, entry.again, key=URGENCY.__getitem__)
                self.running[self.running.index(entry)] = replace(entry, tenant=tenant, again=again)
                return
        for held in [entry for entry in self.waiting if entry.ref == ref]:
            if URGENCY[held.lane] <= URGENCY[lane]:
                return
            self._leave(held)
        self.waiting.append(Waiting(ref, lane, tenant, now))
        if tenant not in self.rings[lane]:
            self.rings[lane].append(tenant)

    def at(self, ref: Ref, when: float, lane: Lane, tenant: str) -> None:
        slot, tenant = int(when / SLOT_SECONDS) + 1, tenant or self.tenant_of(ref)
        for known in [entry for entry in self.timers if entry.ref == ref]:
            if known.slot <= slot:
                return
            self._ended(known)
        self.timers_set += 1
        batch = self.batches.setdefault((slot, lane, tenant), self.timers_set)
        self.timers.append(Timer(ref, lane, tenant, slot, batch))

    def take(self, now: float) -> Due | None:
        for timer in sorted(self.timers, key=lambda entry: (entry.slot, entry.batch)):
            if timer.slot * SLOT_SECONDS <= now:
                self._ended(timer)
                self.wake(timer.ref, timer.lane, now, timer.tenant)
        offers = [self._offer(lane) for lane in Lane if self.rings[lane]]
        if not offers:
            return None

        def turn(offer: Waiting) -> tuple[float, int, int]:
            aged = URGENCY[offer.lane] - (now - offer.since) / AGE_SECONDS
            return max(0.0, aged), self.last_turn[offer.lane], URGENCY[offer.lane]

        chosen = min(offers, key=turn)
        self.turns += 1
        self.last_turn[chosen.lane], self.last_tenant[chosen.lane] = self.turns, chosen.tenant
        self._leave(chosen)
        self.running.append(Running(chosen.ref, chosen.tenant))
        return Due(chosen.ref, chosen.lane, chosen.tenant)

    def done(self, ref: Ref, now: float) -> None:
        entry = next(entry for entry in self.running if entry.ref == ref)
        self.running.remove(entry)
        if entry.again is not None:
            self.wake(ref, entry.again, now, entry.tenant)

    def _offer(self, lane: Lane) -> Waiting:
        """The first key of the first tenant; whoever had the last turn goes to the back of the ring."""
        ring = self.rings[lane]
        if len(ring) > 1 and ring[0] == self.last_tenant.get(lane):
            ring.append(ring.pop(0))
        return next(entry for entry in self.waiting if (entry.lane, entry.tenant) == (lane, ring[0]))

    def _ended(self, timer: Timer) -> None:
        self.timers.remove(timer)
        self.batches.pop((timer.slot, timer.lane, timer.tenant), None)

    def _leave(self, entry: Waiting) -> None:
        self.waiting.remove(entry)
        if not any((other.lane, other.tenant) == (entry.lane, entry.tenant) for other in self.waiting):
            self.rings[entry.lane].remove(entry.tenant)


class AgendaAgainstModel(RuleBasedStateMachine):
    """Everything that can happen to an agenda, to both of them."""

    def __init__(self) -> None:
        super().__init__()
        self.agenda, self.model = Agenda(), Model()
        self.now = 1000.0
        self.woken: set[Ref] = set()

    @rule(seconds=st.sampled_from([0.01, 0.05, 0.5, 3.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(ref=KEYS, lane=LANES, tenant=TENANTS)
    def something_wakes(self, ref: Ref, lane: Lane, tenant: str) -> None:
        self.agenda.wake(ref, lane, self.now, tenant)
        self.model.wake(ref, lane, self.now, tenant)
        self.woken.add(ref)

    @rule(ref=KEYS, seconds=st.sampled_from([0.0, 0.02, 0.3, 5.0]), lane=LANES, tenant=TENANTS)
    def a_timer_is_set(self, ref: Ref, seconds: float, lane: Lane, tenant: str) -> None:
        self.agenda.at(ref, self.now + seconds, lane, tenant)
        self.model.at(ref, self.now + seconds, lane, tenant)

    @rule()
    def one_is_taken(self) -> None:
        running = {entry.ref for entry in self.model.running}
        taken = self.agenda.take(self.now)
        assert taken == self.model.take(self.now)
        if taken is not None:
            assert taken.ref not in running
            self.woken.discard(taken.ref)

    @precondition(lambda self: self.model.running)
    @rule(data=st.data())
    def a_pass_ends(self, data: st.DataObject) -> None:
        ref = data.draw(st.sampled_from(sorted(entry.ref for entry in self.model.running)))
        self.agenda.done(ref, self.now)
        self.model.done(ref, self.now)

    @precondition(lambda self: self.model.running)
    @rule(data=st.data(), seconds=st.sampled_from([0.0, 0.02, 0.3, 5.0]), lane=LANES)
    def a_pass_ends_and_the_next_is_due(self, data: st.DataObject, seconds: float, lane: Lane) -> None:
        ref = data.draw(st.sampled_from(sorted(entry.ref for entry in self.model.running)))
        self.agenda.done(ref, self.now, self.now + seconds, lane)
        self.model.at(ref, self.now + seconds, lane, "")
        self.model.done(ref, self.now)

    @invariant()
    def both_count_the_same(self) -> None:
        assert len(self.agenda) == len(self.model.waiting)
        slots = [timer.slot for timer in self.model.timers]
        assert self.agenda.next_at() == (min(slots) * SLOT_SECONDS if slots else None)

    @invariant()
    def no_wake_is_lost(self) -> None:
        waiting = {entry.ref for entry in self.model.waiting}
        again = {entry.ref for entry in self.model.running if entry.again is not None}
        assert self.woken <= waiting | again

    @invariant()
    def both_know_who_comes_by_itself(self) -> None:
        coming = {entry.ref for entry in (*self.model.waiting, *self.model.running, *self.model.timers)}
        assert {ref for ref in EVERYBODY if ref in self.agenda} == coming

    def teardown(self) -> None:
        """Everything that waits gets its turn, each once."""
        for entry in list(self.model.running):
            self.agenda.done(entry.ref, self.now)
            self.model.done(entry.ref, self.now)
        taken = []
        while (due := self.agenda.take(self.now)) is not None:
            assert due == self.model.take(self.now)
            taken.append(due.ref)
        assert self.model.take(self.now) is None
        assert len(taken) == len(set(taken))


AgendaAgainstModel.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestAgendaAgainstModel = AgendaAgainstModel.TestCase
