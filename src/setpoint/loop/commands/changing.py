"""The switch of a loop file, or of one loop in it, as one commit: in force when the command returns."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from setpoint.engine.entity import Declared
from setpoint.engine.rows import Lane, Mode, Switch, Wake
from setpoint.engine.store import Change, Put

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


def woken(wakes: Iterable[tuple[str, Declared]]) -> Change:
    """Each (id, loop) is looked at now."""
    rows = (
        Wake(id=identity, ref=row.ref, reason="switch.changed", lane=Lane.INTERACTIVE, tenant=row.tenant)
        for identity, row in wakes
    )
    return Change(writes=tuple(map(Put, rows)))
