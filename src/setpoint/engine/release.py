"""What a person decides about one item: protect it, no longer protect it, let it go again. Each a commit."""

from msgspec import Struct

from setpoint.engine.entity import Declared
from setpoint.engine.ledger import Protection, Released, item_key
from setpoint.engine.rows import Lane, Wake, evidence, told
from setpoint.engine.store import Change, Drop, Put


class Decision(Struct, frozen=True):
    """Who decides what about which item of a domain, when and why; `identity` names the wake it causes."""

    domain: Declared
    item: str
    actor: str
    reason: str
    now: float
    identity: str

    @property
    def key(self) -> str:
        return item_key(self.domain.ref, self.item)


def protect(decision: Decision) -> Change:
    """No path deletes this item until somebody takes the protection away."""
    row = Protection(
        key=decision.key,
        domain=decision.domain.ref,
        item=decision.item,
        by=decision.actor,
        reason=decision.reason,
        since=decision.now,
    )
    return _decided(decision, "protected", Put(row))


def unprotect(decision: Decision) -> Change:
    """The guards alone decide about it again."""
    return _decided(decision, "unprotected", Drop(Protection, decision.key))


def release(decision: Decision) -> Change:
    """What was contested about it, or kept failing, is tried anew."""
    row = Released(
        key=decision.key,
        domain=decision.domain.ref,
        item=decision.item,
        by=decision.actor,
        reason=decision.reason,
        at=decision.now,
    )
    return _decided(decision, "released", Put(row))


def _decided(decision: Decision, verb: str, write: Put | Drop) -> Change:
    domain, what = decision.domain, f"item.{verb}"
    said = f"{decision.item} {verb} by {decision.actor}: {decision.reason}"
    wake = Wake(
        id=decision.identity, ref=domain.ref, reason=what, lane=Lane.INTERACTIVE, tenant=domain.tenant
    )
    proof = evidence(domain, decision.actor, what, decision.now, item=decision.item, reason=decision.reason)
    return Change(writes=(write, Put(wake)), events=(told(domain, what, said, decision.now),), audit=(proof,))
