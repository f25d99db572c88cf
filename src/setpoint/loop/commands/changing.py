"""The switch of a loop file, or of one loop in it, as one commit: in force when the command returns."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.rows import Audit, Event, Lane, Mode, Switch, Wake
from setpoint.engine.store import Change, Expect, Put

ALL: Final = "all"


def key_of(declared: Declared | None) -> str:
    """The switch of one loop, or of all."""
    return f"domain:{declared.ref}" if declared is not None else ALL


def paused(known: Switch | None, wanted: Switch) -> Switch:
    """The switch as it is after this pause; each flip counts one version on."""
    return replace(wanted, version=known.version + 1 if known else 1)


def resumed(known: Switch, by: str, now: float) -> Switch:
    """The row stays: its version tells that there was a pause, and what it held begins on probation."""
    return replace(known, mode=Mode.RUN, by=by, since=now, version=known.version + 1)


def flipped(
    known: Switch | None, switch: Switch, tenant: str, wakes: Iterable[tuple[str, Declared]]
) -> Change:
    """One commit: no act begins under the old setting once it is made. Each (id, loop) is woken."""
    expect = Expect(Switch, switch.key, "version", known.version) if known else Expect(Switch, switch.key)
    said = f"{switch.mode} by {switch.by}: {switch.reason}"
    ref = Ref(f"switch/{switch.key}")
    woken = [
        Wake(id=identity, ref=row.ref, reason="switch.changed", lane=Lane.INTERACTIVE, tenant=row.tenant)
        for identity, row in wakes
    ]
    return Change(
        expects=(expect,),
        writes=(Put(switch), *map(Put, woken)),
        events=(
            Event(
                organization=tenant,
                type="switch.changed",
                ref=ref,
                scope=Scope(tenant),
                at=switch.since,
                message=said,
            ),
        ),
        audit=(
            Audit(
                organization=tenant,
                actor=switch.by,
                action="switch.set",
                ref=ref,
                at=switch.since,
                detail={"mode": switch.mode, "reason": switch.reason},
            ),
        ),
    )
