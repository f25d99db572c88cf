"""A database that is a copy, or older than the world, is frozen: nothing acts until a person has looked."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.errors import Conflict
from setpoint.engine.levers import flipped, tightened
from setpoint.engine.rows import Act, Installation, Mode, Switch
from setpoint.engine.store import Change, Expect, Identity, Put, Store, joined

ALL: Final = "all"
OURSELVES: Final = "setpoint"
ON: Final = "review what is newer, then: setpoint resume --all"
FAILED_OVER: Final = (
    "the database failed over; no deletes until one complete sweep shows nothing newer than our journal"
)


class Suspicion(Struct, frozen=True):
    """How much may happen from now on, and why."""

    mode: Mode
    reason: str


def suspicion(known: Installation, here: Identity, lost: str) -> Suspicion | None:
    """Whether this is not the database we knew. `lost`: an act that it had, and no longer holds."""
    if known.identity not in ("", here.place):
        said = f"this database is a copy: it was known as {known.identity}, and here it is {here.place}"
        return Suspicion(Mode.OBSERVE, f"{said}; if the original still runs, stop one of the two; {ON}")
    if lost:
        said = f"this database was put back to an older state: act {lost}, which it had, is not in it"
        return Suspicion(Mode.OBSERVE, f"{said}; {ON}")
    if known.timeline not in ("", here.timeline):
        return Suspicion(Mode.NO_DELETES, FAILED_OVER)
    return None


async def inspected(store: Store, noted: str, now: Callable[[], float]) -> str:
    """Freezes what is doubted, once, and says why; empty where this is the database that it was."""
    while True:
        known = await store.get(Installation, "installation")
        if known is None:
            return ""  # Nobody was here before.
        here = await store.identity()
        lost = noted if noted and await store.get(Act, noted) is None else ""
        doubt = suspicion(known, here, lost)
        settled = replace(known, identity=here.place, timeline=here.timeline)
        if settled == known and doubt is None:
            return ""
        change = Change((Expect(Installation, known.key, "identity", known.identity),), (Put(settled),))
        if doubt is not None:
            change = joined((change, await _frozen(store, doubt, now())))
        try:
            await store.commit(change)
        except Conflict:
            continue  # Another replica noticed a moment earlier, or somebody moved the switch.
        return doubt.reason if doubt else ""


async def _frozen(store: Store, doubt: Suspicion, now: float) -> Change:
    known = await store.get(Switch, ALL)
    wanted = Switch(key=ALL, mode=doubt.mode, by=OURSELVES, reason=doubt.reason, since=now)
    return flipped(tightened(known, wanted), known)
