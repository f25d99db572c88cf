"""After a failover of the database: no deletes until a whole sweep shows nothing newer than our journal."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.drive.frozen import FAILED_OVER, OURSELVES
from setpoint.engine.entity import AnyEntity, Ref
from setpoint.engine.intent import Intent
from setpoint.engine.kind import UNKNOWN_FACT, Kinds
from setpoint.engine.levers import flipped
from setpoint.engine.rows import Lane, Mode, Switch, Wake
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import DECLARED_PAGE, WAKES_OF, Change, Put, Store

TURN: Final = Ref("housekeeping/failover")
EVERY_SECONDS: Final = 10.0
PAGE: Final = 1000
SWEPT: Final = "the database failed over; one complete sweep showed nothing newer than our journal"
NEWER: Final = (
    "the database failed over, and {count} list what is newer than our journal; "
    "review and adopt it, then: setpoint resume --all"
)


class Failover(Struct):
    """Asks everybody who lists what we made to look once more, and lets go when all of them have."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    _asked: int = 0  # The version of the switch that they were asked for.

    async def settle(self) -> float | None:
        """One look at how far it is; None where there is nothing to wait for."""
        switch = await self.store.get(Switch, "all")
        if switch is None or (switch.mode, switch.by, switch.reason) != (
            Mode.NO_DELETES,
            OURSELVES,
            FAILED_OVER,
        ):
            return None
        listing = await self._listing()
        reason = f"failover {switch.version}"
        if self._asked != switch.version:
            await self._ask(listing, reason)
            self._asked = switch.version
            return EVERY_SECONDS
        if [each for each in listing if each.status.failures or await self._waits(each.ref, reason)]:
            return EVERY_SECONDS
        newer = [each for each in listing if each.facts.get(UNKNOWN_FACT)]
        said = (
            NEWER.format(count=", ".join(f"{e.declared.kind} {e.name}" for e in newer[:3]))
            if newer
            else SWEPT
        )
        mode = switch.mode if newer else Mode.RUN
        settled = replace(
            switch, mode=mode, reason=said, since=self.runtime.now(), version=switch.version + 1
        )
        await self.store.commit(flipped(settled, switch))
        return None

    async def _ask(self, listing: list[AnyEntity], reason: str) -> None:
        wakes = [
            Wake(
                id=self.runtime.new_id(),
                ref=each.ref,
                reason=reason,
                lane=Lane.EVENT,
                tenant=each.declared.tenant,
            )
            for each in listing
        ]
        if wakes:
            await self.store.commit(Change(writes=tuple(map(Put, wakes))))

    async def _waits(self, ref: Ref, reason: str) -> bool:
        """A pass takes its wakes away when it is over, and it read them before it looked."""
        return any(wake.reason == reason for wake in await self.store.read(WAKES_OF, ref=ref))

    async def _listing(self) -> list[AnyEntity]:
        """Everything that lists what carries our mark."""
        found: list[AnyEntity] = []
        for kind in (kind.name for kind in self.kinds.values() if kind.adopts):
            after = ""
            while True:
                place = {"organization": "", "project": "", "workspace": ""}
                rows = await self.store.read(DECLARED_PAGE, kind=kind, **place, after=after, limit=PAGE)
                found += await Intent(self.store, self.kinds).joined(
                    [row for row in rows if not row.deleting]
                )
                if len(rows) < PAGE:
                    break
                after = rows[-1].ref
        return found
