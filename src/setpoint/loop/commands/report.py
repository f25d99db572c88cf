"""What happens while a loop file runs, one line per event: when, which loop, what, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from setpoint.cli.screen import Screen
from setpoint.cli.text import clean, folded
from setpoint.engine.entity import Status
from setpoint.engine.rows import Event, Head
from setpoint.engine.store import EVENTS_AFTER
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Session
from setpoint.loop.station import Station

PAGE: Final = 500
ACT: Final = "act."
UNTOLD: Final = frozenset({"entity.config_changed"})
STATUS: Final = ("entity.state_changed", "entity.status_changed")
WORDS: Final[Mapping[str, str]] = {"plan.done": "plan done", "plan.stale": "plan stale"}
"""Where the last word of an event's type alone would mean something else."""
WORD: Final = 10


@dataclass(slots=True)
class Report:
    """Reads what was committed since the last time, by whomever, and tells it."""

    session: Session
    station: Station
    _after: dict[str, int] = field(default_factory=dict)
    _last: str = ""

    async def begin(self) -> None:
        """What happened before now is not told."""
        for tenant in self.station.tenants:
            head = await self.station.store.get(Head, tenant)
            self._after[tenant] = head.revision if head else 0

    async def tell(self) -> None:
        """Everything since; and the audit is sealed where there was something."""
        found = [event for tenant in self.station.tenants for event in await self._news(tenant)]
        for event in sorted(found, key=lambda event: event.at):
            if event.type not in UNTOLD:
                await self._tell(event)
        if any(not event.type.startswith(ACT) for event in found):
            # Not for every act: the pass that they belong to ends with something of its own.
            await seal(self.station.store, self.session.place.folder, self.station.tenants)

    def say(self, what: str, fields: Mapping[str, object]) -> None:
        """Something that is on no record, as when the store does not answer."""
        said = ", ".join(f"{name}: {value}" for name, value in fields.items())
        self._write(self.station.runtime.now(), "", (what, said))

    async def _news(self, tenant: str) -> list[Event]:
        found: list[Event] = []
        while True:
            after = self._after[tenant]
            page = await self.station.store.read(EVENTS_AFTER, organization=tenant, after=after, limit=PAGE)
            found += page
            if not page:
                return found
            self._after[tenant] = page[-1].revision

    async def _tell(self, event: Event) -> None:
        word, said = WORDS.get(event.type, event.type.rpartition(".")[2]), event.message
        if event.type in STATUS:
            status = await self.station.store.get(Status, event.ref)
            word = str(status.state) if status else word
        names = {ref: name for name, ref in self.station.refs.items()}
        self._write(event.at, names.get(event.ref, "all"), (word, said))

    def _write(self, at: float, loop: str, told: tuple[str, str]) -> None:
        screen = self.session.screen
        word, said = told
        wide = max(3, *(len(name) for name in self.station.loops))
        lead = f"{loop:<{wide}}  {word:<{WORD}}  "
        line = f"{lead}{clean(said)}"
        if line == self._last:
            return  # The same again says nothing new.
        self._last = line
        when = stamp(at, screen)
        for text in folded(f"{when}  {line}", screen.columns if screen.is_live else None, len(when) + 2):
            screen.say(screen.paint(text, word) if word.isupper() else text)


def stamp(at: float, screen: Screen) -> str:
    """The time of day for people; the whole moment for a file."""
    moment = datetime.fromtimestamp(at, UTC).astimezone()
    return moment.strftime("%H:%M:%S") if screen.is_live else moment.isoformat(timespec="seconds")
