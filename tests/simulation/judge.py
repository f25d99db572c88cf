"""What must never happen, checked where it would happen: at a begin, at a call, at an effect, at a farewell.

The judge reads the raw rows and the raw cloud, not what any replica believes, and decides with rules of its
own: nothing of the engine's guards is used here.
"""

from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

from setpoint.capabilities.mark import ENTITY, INSTALLATION
from setpoint.engine.entity import Declared, Status
from setpoint.engine.ledger import Protection, item_key
from setpoint.engine.plan import DESTRUCTIVE, Action, Verb
from setpoint.engine.rows import Act, ActState, Approval, Mode, Shard, Switch, Task
from setpoint.engine.store import Change, Drop, Leased, Put
from setpoint.engine.tenure import shard_key
from setpoint.providers.wire import Asked
from setpoint.sim.hetzner import Effect, HetznerSim
from setpoint.storage.memory import MemoryStore
from simulation.kernel import SimLoop

AnyJson = Any
Finding = tuple[str, str]
"""Which invariant, and what was seen."""
ACT: ContextVar[Act | None] = ContextVar("act", default=None)
"""The act that this task is doing, from the commit of its begin to that of its finish."""
HOUR: Final = 3600.0
SKEW_SECONDS: Final = 0.5
"""No clock of ours is further off than this."""
READS: Final = ("GET", "HEAD")
STRICTNESS: Final = tuple(Mode)


@dataclass
class Judge:
    """Told of every commit, call and effect; the first violation stops the world."""

    loop: SimLoop
    store: MemoryStore
    sim: HetznerSim
    installation: str
    strangers: set[tuple[str, str]] = field(default_factory=set)
    """(resource, its id): made by somebody else, never to be touched by us."""
    lax: bool = False
    """Whether the cloud lets two servers have one name."""
    _findings: list[Finding] = field(default_factory=list)
    _ever: dict[str, set[str]] = field(default_factory=dict)
    """Domain -> items of it that were ever there."""

    # Commits.

    def commits(self, change: Change, owner: str) -> None:
        """Just before a commit, at the same moment: what would be wrong if it went through."""
        self._findings = []
        for write in change.writes:
            if isinstance(write, Drop) and write.row is Declared:
                self._findings += self._leaves(write.key)
            elif isinstance(write, Put) and isinstance(write.row, Act):
                known = self._row(Act, write.row.id)
                if known is None:
                    self._findings += self._begins(write.row, change, owner)
                elif not known.open:
                    self._findings += [("act", f"{_words(known)} was {known.state} and is written again")]

    def committed(self, change: Change, owner: str) -> None:
        """It went through."""
        for invariant, message in self._findings:
            self.loop.violated(invariant, message)
        for write in change.writes:
            if isinstance(write, Put):
                self._count(write.row, owner)
        self.loop.note(owner, *(_named(write) for write in change.writes))

    def owners(self, service: str) -> dict[str, str]:
        return {s.key: s.owner for s in self.store.shelves[Shard].all() if s.service == service}

    def leased(self, leased: Leased, before: dict[str, str]) -> None:
        taken = [shard for shard in leased.mine if before[shard.key] != shard.owner]
        over = sum(1 for shard in taken if shard.epoch > 1)
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
            ACT.set(row if row.state is ActState.STARTED else None)
        elif isinstance(row, Declared) and row.kind == "host" and row.parent:
            self._ever.setdefault(row.parent, set()).add(row.name)
        elif isinstance(row, Status):
            counted[f"status {row.state}"] += 1
        elif isinstance(row, Task):
            counted[f"task {row.state}"] += 1

    # Begins.

    def _begins(self, act: Act, change: Change, owner: str) -> Iterator[Finding]:
        declared = self._row(Declared, act.domain)
        if declared is None:
            yield "S4", f"{_words(act)} begins for a domain that is not declared"
            return
        yield from self._is_ours_to_do(act, declared, owner)
        yield from self._is_alone(act)
        mode, source = self._mode(declared)
        if mode in (Mode.STOP, Mode.OBSERVE) or (mode is Mode.NO_DELETES and act.verb in DESTRUCTIVE):
            yield "K1", f"{_words(act)} begins under {mode} of {source}"
        if declared.generation != act.generation:
            yield "S4", f"{_words(act)} is planned for {act.generation}, declared is {declared.generation}"
        if act.approval:
            yield from self._is_agreed(act, change)
        if act.verb in DESTRUCTIVE:
            yield from self._may_go(act, declared)

    def _is_ours_to_do(self, act: Act, declared: Declared, owner: str) -> Iterator[Finding]:
        shard = self._row(Shard, act.shard)
        account = next((ref for ref in declared.refs if ref.startswith("provider/")), declared.ref)
        if act.shard != shard_key("scheduler", account):
            yield "S3", f"{_words(act)} begins under {act.shard}, its account's shard is another"
        if shard is None or (shard.owner, shard.epoch) != (owner, act.epoch):
            held = f"{shard.owner} at {shard.epoch}" if shard else "nobody"
            yield "S3", f"{_words(act)} begins by {owner} at {act.epoch}, {act.shard} is held by {held}"

    def _is_alone(self, act: Act) -> Iterator[Finding]:
        now = self.loop.now()
        for other in self.store.shelves[Act].where("domain", act.domain):
            if other.open and other.item == act.item:
                yield "S3", f"{_words(act)} begins while {_words(other)} is {other.state}"
            if other.state is ActState.STARTED and other.epoch != act.epoch and other.deadline > now + 2 * SKEW_SECONDS:
                yield "S3", f"{_words(act)} begins while another owner's {_words(other)} may be calling"

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
            provider = self._row(Declared, ref)
            if ref.startswith("provider/") and provider is not None:
                found.append((Mode(provider.spec["mode"]), f"provider {provider.name}"))
                keys.append(f"domain:{ref}")
        switches = (self._row(Switch, key) for key in keys)
        found += [(switch.mode, switch.key) for switch in switches if switch is not None]
        return max(found, key=lambda each: STRICTNESS.index(each[0]))

    def _is_agreed(self, act: Act, change: Change) -> Iterator[Finding]:
        approval = self._row(Approval, act.approval)
        line = Action(verb=act.verb, item=act.item, before=act.before, after=act.after).line
        if approval is None or approval.died or approval.expires_at <= self.loop.now() - 2 * SKEW_SECONDS:
            yield "P1", f"{_words(act)} rests on approval {act.approval}, which does not hold"
        elif approval.items.get(act.item) != line or approval.ref != act.domain:
            yield "P1", f"{_words(act)} is not among what approval {approval.id} was given for"
        elif act.item in approval.spent:
            yield "P1", f"{_words(act)} spends what was spent of approval {approval.id}"
        elif not any(isinstance(w.row, Approval) and act.item in w.row.spent for w in change.writes if isinstance(w, Put)):
            yield "P1", f"{_words(act)} does not spend approval {approval.id}"

    # What may go.

    def _may_go(self, act: Act, declared: Declared) -> Iterator[Finding]:
        if self._row(Protection, item_key(act.domain, act.item)) is not None:
            yield "D6", f"{_words(act)} begins on what is protected"
        if declared.protected:
            yield "D6", f"{_words(act)} begins on a protected {declared.kind}"
        match declared.kind:
            case "dns_zone":
                yield from self._record_may_go(act, declared)
            case "host":
                yield from self._server_may_go(act, declared)
            case "scaling_group":
                yield from self._host_may_go(act, declared)

    def _record_may_go(self, act: Act, zone: Declared) -> Iterator[Finding]:
        rows = [row for row in self._children(zone.ref) if row.kind == "dns_record"]
        wanted = {_item(row) for row in rows if not row.deleting}
        asked = {_item(row) for row in rows if row.deleting == "asked"}
        if act.item == "zone":
            if not zone.deleting or (zone.deleting != "asked" and not act.approval):
                yield "D2", f"{_words(act)}: nobody asked for the zone to go"
            return
        if act.item in wanted and not zone.deleting:
            yield "D1", f"{_words(act)}: it is declared"
        if act.explicit and act.item not in asked and zone.deleting != "asked":
            yield "D8", f"{_words(act)}: nobody asked for it by name"
        if act.approval or act.explicit or zone.deleting == "asked":
            return
        if not wanted:
            yield "D2", f"{_words(act)}: nothing is declared, and nobody approved that"
        yield from self._within_budget(act)

    def _server_may_go(self, act: Act, host: Declared) -> Iterator[Finding]:
        if act.verb is Verb.REPLACE:
            return
        if act.item != "server" and not host.deleting:
            server = next((s for s in self.sim._cloud.servers if s.name == act.item), None)
            if server is not None and server.image.name == host.spec["image"]:
                yield "D1", f"{_words(act)}: it is the wanted one"
            return
        if not host.deleting:
            yield "D1", f"{_words(act)}: its host is declared"
        if act.verb is Verb.PARK and host.deleting != "asked" and not act.approval:
            yield "D2", f"{_words(act)}: it leaves nothing, and nobody approved that"

    def _host_may_go(self, act: Act, group: Declared) -> Iterator[Finding]:
        staying = [row for row in self._children(group.ref) if row.kind == "host" and not row.deleting]
        spec = group.spec
        size = 0 if group.deleting else max(spec["min"], min(spec["max"], spec["desired"]))
        if any(row.name == act.item for row in staying) and len(staying) <= size:
            yield "D5", f"{_words(act)}: there are {len(staying)} hosts, wanted are {size}"
        if not act.approval and not act.explicit and group.deleting != "asked":
            yield from self._within_budget(act)

    def _within_budget(self, act: Act) -> Iterator[Finding]:
        """Half of what was ever there, in an hour; a rule that is never stricter than the engine's own."""
        ever = self._ever.get(act.domain, set()) | {act.item}
        gone = [
            other
            for other in self.store.shelves[Act].where("domain", act.domain)
            if other.verb in DESTRUCTIVE
            and not (other.explicit or other.approval)
            and other.state is not ActState.FAILED
            and other.began_at > self.loop.now() - HOUR
        ]
        if len(gone) + 1 > max(1, ceil(len(ever) / 2)):
            yield "D4", f"{_words(act)} is delete {len(gone) + 1} of {len(ever)} within an hour, unapproved"

    # Calls and effects.

    def sends(self, asked: Asked) -> None:
        """A request leaves a replica, at this very moment."""
        if asked.method in READS or "/firewalls" in asked.url:
            return
        act = ACT.get()
        what = f"{asked.method} {asked.url.partition('/v1')[2]}"
        if act is None:
            self.loop.violated("S3", f"{what} is sent outside of any act")
            return
        row = self._row(Act, act.id)
        if row is None or not row.open:
            self.loop.violated("S3", f"{what} is sent for {_words(act)}, which is {row and row.state}")
        elif (late := self.loop.now() - act.deadline - SKEW_SECONDS) > 0:
            self.loop.violated("S3", f"{what} is sent {late:.1f} s after the deadline of {_words(act)}")

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
            if effect.verb == "create" and effect.labels.get(INSTALLATION) == self.installation:
                self._created(effect)

    def _created(self, effect: Effect) -> None:
        domain = effect.labels[ENTITY].replace(".", "/", 1)
        self._ever.setdefault(domain, set()).add(_identity(effect).partition(":")[2])
        if effect.resource != "server":
            return
        marked = self.marked_servers(domain)
        if len({s.name for s in marked}) < len(marked) or len(marked) > 2:
            names = ", ".join(f"{s.name} ({s.id})" for s in marked)
            self.loop.violated("S6", f"{domain} has {len(marked)} servers: {names}")

    def _leaves(self, ref: str) -> Iterator[Finding]:
        """A declaration leaves the store: what it stood for must be gone."""
        row = self._row(Declared, ref)
        if row is None:
            return
        self.loop.counted[f"farewell {row.kind}"] += 1
        if row.kind == "host" and (left := self.marked_servers(ref)):
            yield "S8", f"host {row.name} is forgotten, {left[0].name} is still there"
        if row.kind == "dns_record" and row.parent:
            others = {_item(o) for o in self._children(row.parent) if o.ref != ref and not o.deleting}
            if _item(row) not in others and _item(row) in self.marked_records(row.parent):
                yield "S8", f"record {row.name} is forgotten and still there"
        if row.kind == "dns_zone" and (records := self.marked_records(ref)):
            yield "S8", f"zone {row.name} is forgotten, {len(records)} records are still there"
        if not row.deleting and row.kind != "agent":
            yield "S1", f"{row.kind} {row.name} is forgotten while it is declared"

    # The truth.

    def marked_servers(self, ref: str) -> list[AnyJson]:
        """Our servers of this host that are there, those on their way out left aside."""
        found = [s for s in self.sim._cloud.servers if self._is_marked(s.labels, ref)]
        return [server for server in found if server.status != "deleting"]

    def marked_records(self, ref: str) -> dict[str, AnyJson]:
        """Our records of this zone: item -> values."""
        cloud = self.sim._cloud
        found = [r for zone in cloud.zones for r in cloud.rrsets.of(zone) if self._is_marked(r.labels, ref)]
        return {record.id: (sorted(each.value for each in record.records), record.ttl) for record in found}

    def _is_marked(self, labels: AnyJson, ref: str) -> bool:
        return labels.get(INSTALLATION) == self.installation and labels.get(ENTITY) == ref.replace("/", ".")

    def _row(self, row: type[AnyJson], key: str) -> AnyJson:
        return self.store.shelves[row].get(key)

    def _children(self, ref: str) -> list[Declared]:
        return self.store.shelves[Declared].where("parent", ref)


def _identity(effect: Effect) -> str:
    """As strangers are known by."""
    return f"{effect.zone or ''}:{effect.id}"


def _item(record: Declared) -> str:
    return f"{record.spec['name']}/{record.spec['type']}"


def _words(act: Act) -> str:
    return f"{act.verb} {act.item} of {act.domain} ({act.id})"


def _named(write: Put | Drop) -> str:
    if isinstance(write, Drop):
        return f"-{write.row.__name__}/{write.key}"
    row = write.row
    key = getattr(row, "id", None) or getattr(row, "ref", None) or getattr(row, "key", "")
    return f"+{type(row).__name__}/{key}/{getattr(row, 'state', '')}"

