"""What happens while a loop file runs, one line per event: when, which loop, what, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from setpoint.cli.screen import Screen
from setpoint.cli.text import clean, folded
from setpoint.engine import conclude
from setpoint.engine.entity import Status
from setpoint.engine.rows import Event, Head
from setpoint.engine.store import EVENTS_AFTER
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Session
from setpoint.loop.notify import Notifier
from setpoint.loop.station import Station

PAGE: Final = 500
ACT: Final = "act."
UNTOLD: Final = frozenset({"entity.config_changed"})
STATUS: Final = ("entity.state_changed", "entity.status_changed")
WORDS: Final[Mapping[str, str]] = {"plan.done": "plan done", "plan.stale": "plan stale"}
"""Where the last word of an event's type alone would mean something else."""
WORD: Final = 10


@dataclass(slots=True)
class News:
    """What was committed since it was last read, by whomever."""

    station: Station
    _after: dict[str, int] = field(default_factory=dict)

    async def begin(self) -> None:
        """What happened before now is no news."""
        for tenant in self.station.tenants:
            head = await self.station.store.get(Head, tenant)
            self._after[tenant] = head.revision if head else 0

    async def read(self) -> list[Event]:
        """Every event since, in the order of time."""
        found = [event for tenant in self.station.tenants for event in await self._of(tenant)]
        return sorted(found, key=lambda event: event.at)

    def loop_of(self, event: Event) -> str:
        """The loop that an event is about; `all` where it is about every one."""
        return next((name for name, ref in self.station.refs.items() if ref == event.ref), "all")

    async def _of(self, tenant: str) -> list[Event]:
        found: list[Event] = []
        while True:
            after = self._after[tenant]
            page = await self.station.store.read(EVENTS_AFTER, organization=tenant, after=after, limit=PAGE)
            found += page
            if not page:
                return found
            self._after[tenant] = page[-1].revision


async def heard(news: News, folder: Path, notifier: Notifier | None) -> list[Event]:
    """The news; the audit is sealed where there was some, and whoever is to be told is told of it later."""
    found = await news.read()
    if any(not event.type.startswith(ACT) for event in found):
        # Not for every act: the pass that they belong to ends with something of its own.
        await seal(news.station.store, folder, news.station.tenants)
    for name, ref in news.station.refs.items() if notifier is not None else ():
        status = await news.station.store.get(Status, ref)
        if notifier is not None and status is not None:
            notifier.look(name, status)
    return found


@dataclass(slots=True)
class Report:
    """Tells on the screen what was committed since the last time."""

    session: Session
    station: Station
    notifier: Notifier | None = None
    _news: News = field(init=False)
    _last: str = ""

    def __post_init__(self) -> None:
        self._news = News(self.station)

    async def begin(self) -> None:
        """What happened before now is not told."""
        await self._news.begin()

    async def tell(self) -> None:
        """Everything since; and the audit is sealed where there was something."""
        for event in await heard(self._news, self.session.place.folder, self.notifier):
            if event.type not in UNTOLD:
                await self._tell(event)

    def say(self, what: str, fields: Mapping[str, object]) -> None:
        """Something that is on no record, as when the store does not answer."""
        said = ", ".join(f"{name}: {value}" for name, value in fields.items())
        self._write(self.station.runtime.now(), "", (what, said))

    async def _tell(self, event: Event) -> None:
        word, said = WORDS.get(event.type, event.type.rpartition(".")[2]), event.message
        if event.type in STATUS:
            status = await self.station.store.get(Status, event.ref)
            if status is None or status.reason != conclude.readable(said):
                return  # It stands otherwise by now, and that is told next.
            word = str(status.state)
        self._write(event.at, self._news.loop_of(event), (word, said))

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
