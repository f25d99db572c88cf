"""What the switch file says becomes the switch above everything, with its event and its line in the audit.

The file works without this: every act asks it by itself. This is how people and other processes learn of it.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.errors import FAILURES
from setpoint.engine.levers import BY_FILE, flipped
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import NOTHING, Change, Store
from setpoint.storage.switch_file import Said, SwitchFile

ALL: Final = "all"
EVERY_SECONDS: Final = 0.5


class Halting(Struct, frozen=True):
    """Looks at the file again and again; run by whoever may move switches."""

    store: Store
    file: SwitchFile
    now: Callable[[], float]

    async def run(self) -> None:
        while True:
            with suppress(*FAILURES):  # The store is away, or somebody moved the switch: looked at again.
                await self.settle()
            await asyncio.sleep(EVERY_SECONDS)

    async def settle(self) -> None:
        """One look."""
        known = await self.store.get(Switch, ALL)
        stops, said = bool(self.file.stopped()), self.file.said()
        change = recorded(known, said, stops=stops, now=self.now())
        if change != NOTHING:
            await self.store.commit(change)


def recorded(known: Switch | None, said: Said, *, stops: bool, now: float) -> Change:
    """The switch as the file has it. A pause that somebody else set stands, whatever becomes of the file."""
    runs, mark = known is None or known.mode is Mode.RUN, f"{BY_FILE} {said.id}".rstrip()
    version = known.version + 1 if known else 1
    if stops and runs:
        by = f"{said.by}, {mark}"
        stop = Switch(key=ALL, mode=Mode.STOP, by=by, reason=said.reason, since=now, version=version)
        return flipped(stop, known)
    if known is not None and not stops and not runs and known.by.endswith(f", {mark}"):
        return flipped(replace(known, mode=Mode.RUN, since=now, version=version), known)
    return NOTHING
