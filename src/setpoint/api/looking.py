"""A person's wish that an object is looked at now, ahead of its turn."""

from setpoint.engine.entity import Declared
from setpoint.engine.rows import Lane, Wake, evidence
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Change, Put


def asked_to_look(declared: Declared, actor: str, runtime: Runtime) -> Change:
    """A wake in the lane of those who wait for it, with the evidence of who asked."""
    wake = Wake(id=runtime.new_id(), ref=declared.ref, reason=f"asked for by {actor}", lane=Lane.INTERACTIVE)
    return Change(writes=(Put(wake),), audit=(evidence(declared, actor, "entity.observe", runtime.now()),))
