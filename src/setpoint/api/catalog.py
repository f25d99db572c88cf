"""What there is to declare and how it is looked after: kinds and loops, read from the one list of kinds."""

from collections import Counter
from typing import Any

from msgspec import Struct, to_builtins
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.loops import read_beats, silence
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.drive.pulse import Beat
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind
from setpoint.engine.store import DECLARED_ALL

AnyJson = Any
AT_ONCE = 1000


class Catalog(Struct, frozen=True):
    """The registry as data."""

    services: Services

    async def kinds(self, request: Request, subject: Subject) -> Response:
        return answer({"items": [self._shown(kind) for kind in self.services.kinds.values()]})

    async def loops(self, request: Request, subject: Subject) -> Response:
        states = await self._states(Sight(self.services, subject))
        beats = await self._beats() if states else {}
        items = [
            {
                "kind": kind.name,
                "every": self.services.intervals.get(kind.name),
                "default_every": kind.every.seconds if kind.every else None,
                "on": [{"event": on.event, "of": on.of} for on in kind.on],
                "entities": sum(states.get(kind.name, Counter()).values()),
                "states": dict(states.get(kind.name, Counter())),
                **self._pulse(kind.name, beats.get(kind.name), watched=kind.name in states),
            }
            for kind in self.services.kinds.values()
        ]
        return answer({"items": items, "next_page_token": ""})

    async def _beats(self) -> dict[str, Beat]:
        """By kind, of all places together."""
        found: dict[str, Beat] = {}
        for (kind, _), beat in (await read_beats(self.services)).items():
            before = found.get(kind)
            found[kind] = beat if before is None or before.at < beat.at else before
        return found

    def _pulse(self, kind: str, beat: Beat | None, *, watched: bool) -> dict[str, AnyJson]:
        every = self.services.intervals.get(kind)
        stale = silence(beat, every, self.services.runtime.now()) if watched and every is not None else ""
        return {"last_pass": moment(beat.at) if beat else None, "stale": stale}

    async def _states(self, sight: Sight) -> dict[str, Counter[str]]:
        states: dict[str, Counter[str]] = {}
        intent = Intent(self.services.store, self.services.kinds)
        after = ""
        while rows := await self.services.store.read(DECLARED_ALL, after=after, limit=AT_ONCE):
            for entity in await intent.joined([row for row in rows if sight.may_to("read", row)]):
                states.setdefault(entity.declared.kind, Counter())[entity.status.state] += 1
            after = rows[-1].ref
        return states

    def _shown(self, kind: Kind) -> dict[str, AnyJson]:
        return {
            "name": kind.name,
            "plural": kind.plural,
            "about": kind.about,
            "level": kind.level,
            "columns": dict(kind.columns),
            "every": self.services.intervals.get(kind.name),
            "schema": to_builtins(self.services.validators[kind.name].schema),
            "example": dict(kind.example),
            "adopts": kind.adopts,
            "by_machine": kind.by_machine,
        }
