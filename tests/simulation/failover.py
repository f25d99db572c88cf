"""Another server takes over the database, and the last commits never reached it."""

from dataclasses import dataclass

from setpoint.drive.newest import Newest
from setpoint.engine.rows import Act, Installation
from setpoint.engine.store import ACTS_PAGE, Identity
from setpoint.storage.memory import MemoryStore
from setpoint.storage.shelf import Shelf

FIRST = Identity("memory", "1")
SECOND = Identity("memory", "2")


class Noting(Newest):
    """Beside this database there is no folder: what was noted is remembered."""

    async def note(self) -> None:
        found = await self.store.read(ACTS_PAGE, domain="", after="", limit=1)
        self._noted = found[0].id if found else ""


@dataclass
class Standby:
    """All that a server has got of another one, by now."""

    store: MemoryStore

    def __post_init__(self) -> None:
        inner = self.store
        self.shelves = {row: _copied(shelf, row) for row, shelf in inner.shelves.items()}
        self.events = {key: list(lines) for key, lines in inner.events.items()}
        self.events_by_ref = {key: list(lines) for key, lines in inner.events_by_ref.items()}
        self.audit = {key: list(lines) for key, lines in inner.audit.items()}

    @property
    def is_known(self) -> bool:
        """Whether anybody has written down which database this is."""
        row = self.shelves[Installation].get("installation")
        return row is not None and row.timeline == FIRST.timeline

    def take_over(self) -> set[str]:
        """Everybody finds this one from now on; the acts that it does not know."""
        inner = self.store
        acts = {act.id for act in inner.shelves[Act].all()} - {act.id for act in self.shelves[Act].all()}
        inner.shelves, inner.events, inner.audit = self.shelves, self.events, self.audit
        inner.events_by_ref, inner.here = self.events_by_ref, SECOND
        return acts


def _copied(shelf: Shelf, row: type) -> Shelf:
    copy = Shelf(row)
    for key, value in shelf._rows.items():
        copy.put(key, value)
    return copy
