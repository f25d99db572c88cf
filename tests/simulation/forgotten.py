"""What a restored store does not know, and what may happen to it: nothing that a person did not look at."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from setpoint.capabilities.mark import ACT
from setpoint.engine.audit import verified
from setpoint.engine.plan import DESTRUCTIVE
from setpoint.engine.rows import Act, ActState, Approval, Head, Switch
from setpoint.engine.store import Change
from setpoint.storage.memory import MemoryStore
from simulation.kernel import SimLoop
from simulation.truth import AnyJson, Finding, Truth, words


@dataclass
class Forgotten:
    """Asked at every begin; knows every act that was made before the restore and is not in the store now."""

    loop: SimLoop
    truth: Truth
    frozen: bool = False
    """Restored, and nobody has resumed yet."""
    unnoticed: bool = False
    """The database failed over, and the switch does not say so yet."""
    since: float = 0.0
    acts: set[str] = field(default_factory=set)

    def restored(self, before: MemoryStore) -> None:
        """The store of the truth came instead of this one."""
        held = {act.id for act in self.truth.store.shelves[Act].all()}
        self.frozen = True
        self._lost("restored", {act.id for act in before.shelves[Act].all()} - held)

    def failed_over(self, acts: set[str]) -> None:
        """The store of the truth lost these."""
        self.unnoticed = True
        self._lost("failed over", acts)

    def _lost(self, how: str, acts: set[str]) -> None:
        self.acts, self.since = acts, self.loop.now()
        self.loop.note(how, len(acts), "acts are forgotten")
        self.loop.counted[how] += 1
        self.loop.counted["forgotten acts"] += len(acts)
        self.check_chains()

    def flipped(self, switch: Switch) -> None:
        if switch.key == "all" and switch.by == "setpoint" and self.unnoticed:
            self.unnoticed = False
            self.loop.counted[f"failed over: {switch.mode}"] += 1

    def last_look(self) -> None:
        self.check_chains()
        if self.unnoticed:
            self.loop.violated("B3", "the database failed over, and nobody noticed")

    def check_chains(self) -> None:
        store = self.truth.store
        for organization, lines in store.audit.items():
            head = store.shelves[Head].get(organization) or Head(organization=organization)
            if broken := verified(lines, head):
                self.loop.violated("C10", f"the chain of {organization!r} is broken: {broken}")

    def is_adopted(self, act: Act, change: Change) -> bool:
        """Whether this row is no begin: a person gives the journal an act back that it has forgotten."""
        if act.id not in self.acts or act.state is not ActState.DONE:
            return False
        return any(line.action == "entity.adopted" for line in change.audit)

    def adopted(self, act: Act) -> None:
        if act.id in self.acts:
            self.acts.remove(act.id)
            self.loop.counted["adopted"] += 1

    def may_begin(self, act: Act) -> Iterator[Finding]:
        if self.frozen:
            yield "B3", f"{words(act)} begins after a restore, and nobody has resumed"
        if act.verb not in DESTRUCTIVE or not self._is_newer(act):
            return
        self.loop.counted["newer begun"] += 1
        approval = self.truth.row(Approval, act.approval) if act.approval else None
        if approval is None or act.item not in approval.items or approval.created_at < self.since - 1.0:
            yield "B3", f"{words(act)} begins on what is newer than the backup, and nobody agreed to that"

    def _is_newer(self, act: Act) -> bool:
        """Whether everything that this may be about was made or changed last by an act that is forgotten."""
        labels = [each.labels for each in self._about(act)]
        return bool(labels) and all(each.get(ACT) in self.acts for each in labels)

    def _about(self, act: Act) -> list[AnyJson]:
        cloud = self.truth.sim._cloud
        if act.domain.startswith("dns_zone/"):
            records = [record for zone in cloud.zones for record in cloud.rrsets.of(zone)]
            return [r for r in records if r.id == act.item and self.truth.is_marked(r.labels, act.domain)]
        servers = self.truth.marked_servers(act.domain)
        return servers if act.item == "server" else [s for s in servers if s.name == act.item]
