"""What may be destroyed, by rules of our own that are never stricter than the engine's guards."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from setpoint.engine.entity import Declared
from setpoint.engine.ledger import Protection, item_key
from setpoint.engine.plan import DESTRUCTIVE, Verb
from setpoint.engine.rows import Act, ActState
from simulation.kernel import SimLoop
from simulation.truth import Finding, Truth, item_of, words

HOUR: Final = 3600.0


@dataclass
class Damage:
    """Asked at every begin that destroys something."""

    loop: SimLoop
    truth: Truth
    made: Counter[str] = field(default_factory=Counter)
    """Domain -> how many items of it were ever made."""

    def may_go(self, act: Act, declared: Declared) -> Iterator[Finding]:
        if self.truth.row(Protection, item_key(act.domain, act.item)) is not None:
            yield "D6", f"{words(act)} begins on what is protected"
        if declared.protected:
            yield "D6", f"{words(act)} begins on a protected {declared.kind}"
        match declared.kind:
            case "dns_zone":
                yield from self._record_may_go(act, declared)
            case "host":
                yield from self._server_may_go(act, declared)
            case "scaling_group":
                yield from self._host_may_go(act, declared)

    def _record_may_go(self, act: Act, zone: Declared) -> Iterator[Finding]:
        rows = [row for row in self.truth.children(zone.ref) if row.kind == "dns_record"]
        wanted = {item_of(row) for row in rows if not row.deleting}
        asked = {item_of(row) for row in rows if row.deleting == "asked"}
        if act.item == "zone":
            if not zone.deleting or (zone.deleting != "asked" and not act.approval):
                yield "D2", f"{words(act)}: nobody asked for the zone to go"
            return
        if act.item in wanted and not zone.deleting:
            yield "D1", f"{words(act)}: it is declared"
        if act.explicit and act.item not in asked and zone.deleting != "asked":
            yield "D8", f"{words(act)}: nobody asked for it by name"
        if act.approval or act.explicit or zone.deleting == "asked":
            return
        if not wanted:
            yield "D2", f"{words(act)}: nothing is declared, and nobody approved that"
        yield from self._within_budget(act)

    def _server_may_go(self, act: Act, host: Declared) -> Iterator[Finding]:
        if act.verb is Verb.REPLACE:
            return
        if act.item != "server" and not host.deleting:
            server = next((s for s in self.truth.sim._cloud.servers if s.name == act.item), None)
            if server is not None and server.image.name == host.spec["image"]:
                yield "D1", f"{words(act)}: it is the wanted one"
            return
        if not host.deleting:
            yield "D1", f"{words(act)}: its host is declared"
        if act.verb is Verb.PARK and host.deleting != "asked" and not act.approval:
            yield "D2", f"{words(act)}: it leaves nothing, and nobody approved that"

    def _host_may_go(self, act: Act, group: Declared) -> Iterator[Finding]:
        staying = [row for row in self.truth.children(group.ref) if row.kind == "host" and not row.deleting]
        spec = group.spec
        size = 0 if group.deleting else max(spec["min"], min(spec["max"], spec["desired"]))
        if any(row.name == act.item for row in staying) and len(staying) <= size:
            yield "D5", f"{words(act)}: there are {len(staying)} hosts, wanted are {size}"
        if not act.approval and not act.explicit and group.deleting != "asked":
            yield from self._within_budget(act)

    def _within_budget(self, act: Act) -> Iterator[Finding]:
        """Half of what was ever made, in an hour; a rule never stricter than the engine's own: what came
        back is not gone, and what goes again is gone once.
        """
        made = self.made[act.domain]
        done = (a for a in self.truth.store.shelves[Act].where("domain", act.domain) if a.id != act.id)
        last = {
            other.item: other
            for other in sorted(done, key=lambda other: other.began_at)
            if other.state is not ActState.FAILED
        }
        gone = [
            other
            for other in last.values()
            if other.verb in DESTRUCTIVE
            and not (other.explicit or other.approval)
            and other.item != act.item
            and other.began_at > self.loop.now() - HOUR
        ]
        if len(gone) + 1 > max(1, ceil(made / 2)):
            yield "D4", f"{words(act)} is delete {len(gone) + 1} of {made} within an hour, unapproved"
