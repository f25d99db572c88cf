"""When each domain was last observed and is observed next, in a scheduler's memory.

A quiet pass writes nothing, so no row can say when it was. The API asks for the times it shows: in one
process the scheduler's memory itself, else through two sorts of signs of life. The API writes the refs it
shows into `ASKED`; each scheduler that has some of them on its agenda writes their times under `ANSWER`,
every second for as long as they are asked for. While none are asked for, nothing is written.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct, convert
from msgspec.structs import replace

from setpoint.drive.pulse import PULSE
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Sign

ASKED: Final = Ref("looked/objects")
"""The sign that carries what is asked for, by all replicas of the API."""
ANSWER: Final = f"{PULSE}/observed"
"""Signs whose refs begin so are answers, one of each scheduler; nobody else may write what begins so."""
ASKED_SECONDS: Final = 30.0
"""For so long a question is answered."""
MOST_ASKED: Final = 4_000
"""So many refs are asked for at once; the oldest questions give way."""


class Observation(Struct, frozen=True, gc=False, array_like=True):
    """When one domain was last observed by the process that answers, and when its next turn is due."""

    at: float  # 0: not yet.
    next_at: float
    since: float  # From when on that process looked after it.

    def after(self, before: "Observation | None") -> "Observation":
        """With the last look of a process that looked after it before."""
        return replace(self, at=max(self.at, before.at)) if before else self


class LookTimes:
    """When this process last observed each of its domains."""

    def __init__(self) -> None:
        self._at: dict[Ref, float] = {}
        self._since = 0.0

    def note(self, ref: Ref, at: float) -> None:
        """A look at it ended well."""
        self._at[ref] = at

    def forget(self, ref: Ref) -> None:
        self._at.pop(ref, None)

    def begin(self, now: float) -> None:
        """More is ours from now on; what is not observed yet is expected from here."""
        self._since = now

    def read(self, agenda: Agenda, refs: Iterable[Ref]) -> dict[Ref, Observation]:
        """The times of those that this process looks after."""
        at, since = self._at, self._since
        found = ((ref, agenda.due_at(ref)) for ref in refs)
        return {ref: Observation(at.get(ref, 0.0), due, since) for ref, due in found if due is not None}


Look = Callable[[Iterable[Ref]], Mapping[Ref, Observation]]
"""What a process knows itself."""


def asked_in(question: Sign | None, now: float) -> dict[Ref, float]:
    """What is asked for still, with the time at which it was asked last."""
    asked = convert(question.facts.get("refs", {}), dict[Ref, float]) if question else {}
    return {ref: at for ref, at in asked.items() if now - at < ASKED_SECONDS}


def question(asked: Mapping[Ref, float], now: float) -> Sign:
    """These refs as one sign; where they are too many, those asked last."""
    newest = sorted(asked.items(), key=lambda each: each[1])[-MOST_ASKED:]
    return Sign(ref=ASKED, at=now, facts={"refs": dict(newest)})


def answer(home: str, found: Mapping[Ref, Observation], now: float) -> Sign:
    """What one scheduler knows of what is asked for."""
    times = {ref: [each.at, each.next_at, each.since] for ref, each in found.items()}
    return Sign(ref=Ref(f"{ANSWER}/{home}"), at=now, facts={"times": times})


def answered_in(sign: Sign) -> dict[Ref, Observation]:
    return convert(sign.facts.get("times", {}), dict[Ref, Observation])
