"""What must never happen, checked where it would happen: at a begin, at a call, at an effect, at a farewell.

The judge reads the raw rows and the raw cloud, not what any replica believes, and decides with rules of its
own: nothing of the engine's guards is used here.
"""

from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from setpoint.capabilities.mark import ENTITY, INSTALLATION
from setpoint.engine.entity import Declared, Status
from setpoint.engine.plan import DESTRUCTIVE, Action, Verb
from setpoint.engine.rows import Act, ActState, Approval, Mode, Shard, Switch, Task
from setpoint.engine.store import Change, Drop, Leased, Put
from setpoint.engine.tenure import shard_key
from setpoint.providers.wire import Asked
from setpoint.sim.hetzner import Effect
from simulation.damage import Damage
from simulation.forgotten import Forgotten
from simulation.kernel import SimLoop
from simulation.truth import Finding, Truth, item_of, words

AnyJson = Any
ACT: ContextVar[Act | None] = ContextVar("act", default=None)
"""The act that this task is doing, from the commit of its begin to that of its finish."""
SKEW_SECONDS: Final = 0.5
"""No clock of ours is further off than this."""
READS: Final = ("GET", "HEAD")
STRICTNESS: Final = tuple(Mode)
BY_A_LOOK: Final = "settled by a look"
MADE_ANEW: Final = (Verb.CREATE, Verb.REPLACE)


@dataclass
class Judge:
    """Told of every commit, call and effect; the first violation stops the world."""

    loop: SimLoop
    truth: Truth
    strangers: set[tuple[str, str]] = field(default_factory=set)
    """(resource, its id): made by somebody else, never to be touched by us."""
    lax: bool = False
    """Whether the cloud lets two servers have one name."""
    _findings: list[Finding] = field(default_factory=list)
    _owned: set[str] = field(default_factory=set)
    """Shards that somebody owned before."""

    def __post_init__(self) -> None:
        self.damage = Damage(self.loop, self.truth)
        self.forgotten = Forgotten(self.loop, self.truth)

    # Commits.

    def commits(self, change: Change, owner: str) -> None:
        """Just before a commit, at the same moment: what would be wrong if it went through."""
        self._findings = []
        for write in change.writes:
            if isinstance(write, Drop) and write.row is Declared:
                self._findings += self._leaves(write.key)
            elif isinstance(write, Put) and isinstance(write.row, Act):
                known = self.truth.row(Act, write.row.id)
                if known is None and not self.forgotten.is_adopted(write.row, change):
                    self._findings += self._begins(write.row, change, owner)
                elif known is not None and not known.open:
                    self._findings += [("act", f"{words(known)} was {known.state} and is written again")]
                elif write.row.state is ActState.FAILED and BY_A_LOOK in write.row.detail:
                    self._findings += self._fails(write.row)

    def committed(self, change: Change, owner: str) -> None:
        """It went through."""
        for invariant, message in self._findings:
            self.loop.violated(invariant, message)
        for write in change.writes:
            if isinstance(write, Put):
                self._count(write.row, owner)
        self.loop.note(owner, *(_named(write) for write in change.writes))

    def owners(self, service: str) -> dict[str, str]:
        return {s.key: s.owner for s in self.truth.store.shelves[Shard].all() if s.service == service}

    def leased(self, leased: Leased, before: dict[str, str]) -> None:
        taken = [shard for shard in leased.mine if before[shard.key] != shard.owner]
        over = sum(1 for shard in taken if shard.key in self._owned)
        self._owned.update(shard.key for shard in taken)
        self.loop.counted["takeovers"] += bool(over)
        if taken:
            self.loop.note("lease", taken[0].owner, len(taken), over)

    def _count(self, row: AnyJson, owner: str) -> None:
        counted = self.loop.counted
        if isinstance(row, Act):
            counted[f"act {row.state}"] += 1
            if row.state is ActState.STARTED:
                counted[f"{row.verb} {row.domain.partition('/')[0]}"] += 1
                counted["destructive acts"] += row.verb in DESTRUCTIVE
                counted["approved acts"] += bool(row.approval)
            self.forgotten.adopted(row)
            ACT.set(row if row.state is ActState.STARTED else None)
        elif isinstance(row, Declared) and row.kind == "host" and row.parent:
            self.damage.made[row.parent] += row.generation == 1
        elif isinstance(row, Status):
            counted[f"status {row.state}"] += 1
        elif isinstance(row, Switch):
            self.forgotten.flipped(row)
        elif isinstance(row, Task):
            counted[f"task {row.state}"] += 1

    def _fails(self, act: Act) -> Iterator[Finding]:
        """A look found nothing of an act, so late that nothing of it could come any more."""
        if act.verb in MADE_ANEW and self.truth.has_made(act):
            yield "act", f"{words(act)} counts as failed, and what it made is there"

    # Begins.

    def _begins(self, act: Act, change: Change, owner: str) -> Iterator[Finding]:
        declared = self.truth.row(Declared, act.domain)
        if declared is None:
            yield "S4", f"{words(act)} begins for a domain that is not declared"
            return
        yield from self._is_ours_to_do(act, declared, owner)
        yield from self._is_alone(act)
        mode, source = self._mode(declared)
        if mode in (Mode.STOP, Mode.OBSERVE) or (mode is Mode.NO_DELETES and act.verb in DESTRUCTIVE):
            yield "K1", f"{words(act)} begins under {mode} of {source}"
        if declared.generation != act.generation:
            yield "S4", f"{words(act)} is planned for {act.generation}, declared is {declared.generation}"
        yield from self.forgotten.may_begin(act)
        if act.approval:
            yield from self._is_agreed(act, change)
        if act.verb in DESTRUCTIVE:
            yield from self.damage.may_go(act, declared)

    def _is_ours_to_do(self, act: Act, declared: Declared, owner: str) -> Iterator[Finding]:
        shard = self.truth.row(Shard, act.shard)
        account = next((ref for ref in declared.refs if ref.startswith("provider/")), declared.ref)
        if act.shard != shard_key("scheduler", account):
            yield "S3", f"{words(act)} begins under {act.shard}, its account's shard is another"
        if shard is None or (shard.owner, shard.epoch) != (owner, act.epoch):
            held = f"{shard.owner} at {shard.epoch}" if shard else "nobody"
            yield "S3", f"{words(act)} begins by {owner} at {act.epoch}, {act.shard} is held by {held}"

    def _is_alone(self, act: Act) -> Iterator[Finding]:
        now = self.loop.now()
        for other in self.truth.store.shelves[Act].where("domain", act.domain):
            if other.open and other.item == act.item:
                yield "S3", f"{words(act)} begins while {words(other)} is {other.state}"
            if (
                other.state is ActState.STARTED
                and other.epoch != act.epoch
                and other.deadline > now + 2 * SKEW_SECONDS
            ):
                yield "S3", f"{words(act)} begins while another owner's {words(other)} may be calling"

    def _mode(self, declared: Declared) -> tuple[Mode, str]:
        """The strictest lever above this entity, and whose it is."""
        scope, place = declared.scope, []
        keys = ["all", f"kind:{declared.kind}", f"domain:{declared.ref}"]
        for part in (scope.organization, scope.project, scope.workspace):
            if part:
                place.append(part)
                keys.append(f"scope:{'/'.join(place)}")
        found = [(Mode.RUN, "nobody")]
        for ref in declared.refs:
            provider = self.truth.row(Declared, ref)
            if ref.startswith("provider/") and provider is not None:
                found.append((Mode(provider.spec["mode"]), f"provider {provider.name}"))
                keys.append(f"domain:{ref}")
        switches = (self.truth.row(Switch, key) for key in keys)
        found += [(switch.mode, switch.key) for switch in switches if switch is not None]
        return max(found, key=lambda each: STRICTNESS.index(each[0]))

    def _is_agreed(self, act: Act, change: Change) -> Iterator[Finding]:
        approval = self.truth.row(Approval, act.approval)
        line = Action(verb=act.verb, item=act.item, before=act.before, after=act.after).line
        if approval is None or approval.died or approval.expires_at <= self.loop.now() - 2 * SKEW_SECONDS:
            yield "P1", f"{words(act)} rests on approval {act.approval}, which does not hold"
        elif approval.items.get(act.item) != line or approval.ref != act.domain:
            yield "P1", f"{words(act)} is not among what approval {approval.id} was given for"
        elif act.item in approval.spent:
            yield "P1", f"{words(act)} spends what was spent of approval {approval.id}"
        elif not any(
            isinstance(w.row, Approval) and act.item in w.row.spent
            for w in change.writes
            if isinstance(w, Put)
        ):
            yield "P1", f"{words(act)} does not spend approval {approval.id}"

    # Calls and effects.

    def sends(self, asked: Asked) -> None:
        """A request leaves a replica, at this very moment."""
        what = f"{asked.method} {asked.url.partition('/v1')[2]}"
        if asked.method not in READS and self.forgotten.frozen:
            self.loop.violated("B3", f"{what} is sent after a restore, and nobody has resumed")
        if asked.method in READS or "/firewalls" in asked.url:
            return
        act = ACT.get()
        if act is None:
            self.loop.violated("S3", f"{what} is sent outside of any act")
            return
        row = self.truth.row(Act, act.id)
        if act.id in self.forgotten.acts:
            return  # Nobody could tell whoever began it.
        if row is None or not row.open:
            self.loop.violated("S3", f"{what} is sent for {words(act)}, which is {row and row.state}")
        elif (late := self.loop.now() - act.deadline - SKEW_SECONDS) > 0:
            self.loop.violated("S3", f"{what} is sent {late:.1f} s after the deadline of {words(act)}")

    def may_repeat(self, asked: Asked) -> bool:
        """Whether delivering this twice is no more than a nuisance."""
        return not (self.lax and asked.method == "POST" and asked.url.endswith("/servers"))

    def happened(self, effects: Iterable[Effect], asked: Asked) -> None:
        """What a request did at the cloud, at this very moment."""
        for effect in effects:
            self.loop.note("cloud", effect.verb, effect.resource, effect.name)
            self.loop.counted[f"effect {effect.verb} {effect.resource}"] += 1
            if (effect.resource, _identity(effect)) in self.strangers:
                self.loop.violated("D12", f"{effect.verb} of {effect.resource} {effect.name}, a stranger's")
            if effect.verb == "create" and effect.labels.get(INSTALLATION) == self.truth.installation:
                self._created(effect)

    def _created(self, effect: Effect) -> None:
        domain = effect.labels[ENTITY].replace(".", "/", 1)
        self.damage.made[domain] += 1
        if effect.resource != "server":
            return
        marked = self.truth.marked_servers(domain)
        if len({s.name for s in marked}) < len(marked) or len(marked) > 2:
            names = ", ".join(f"{s.name} ({s.id})" for s in marked)
            self.loop.violated("S6", f"{domain} has {len(marked)} servers: {names}")

    def _leaves(self, ref: str) -> Iterator[Finding]:
        """A declaration leaves the store: what it stood for must be gone."""
        row = self.truth.row(Declared, ref)
        if row is None:
            return
        self.loop.counted[f"farewell {row.kind}"] += 1
        if row.kind == "host" and (left := self.truth.marked_servers(ref)):
            yield "S8", f"host {row.name} is forgotten, {left[0].name} is still there"
        if row.kind == "dns_record" and row.parent:
            others = {item_of(o) for o in self.truth.children(row.parent) if o.ref != ref and not o.deleting}
            if item_of(row) not in others and item_of(row) in self.truth.marked_records(row.parent):
                yield "S8", f"record {row.name} is forgotten and still there"
        if row.kind == "dns_zone" and (records := self.truth.marked_records(ref)):
            yield "S8", f"zone {row.name} is forgotten, {len(records)} records are still there"
        if not row.deleting and row.kind != "agent":
            yield "S1", f"{row.kind} {row.name} is forgotten while it is declared"


def _identity(effect: Effect) -> str:
    """As strangers are known by."""
    return f"{effect.zone or ''}:{effect.id}"


def _named(write: Put | Drop) -> str:
    if isinstance(write, Drop):
        return f"-{write.row.__name__}/{write.key}"
    row = write.row
    key = getattr(row, "id", None) or getattr(row, "ref", None) or getattr(row, "key", "")
    return f"+{type(row).__name__}/{key}/{getattr(row, 'state', '')}"
