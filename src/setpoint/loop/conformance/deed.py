"""What a loop can do to one key, each with what was there before and what must be there after."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from setpoint.engine.errors import Missing
from setpoint.engine.plan import ABSENT, Absence
from setpoint.loop.conformance.bench import Bench, ended
from setpoint.loop.conformance.process import Around, Process, Said
from setpoint.loop.conformance.world import World

AnyValue = Any


@dataclass(frozen=True, slots=True)
class Deed:
    """One call, and how the world of its key looks around it."""

    verb: str
    method: str
    key: str
    before: AnyValue
    after: AnyValue  # ABSENT also for what is parked: it need not be listed.

    @property
    def args(self) -> tuple[AnyValue, ...]:
        if self.verb == "delete":
            return (self.key,)
        return (self.key, self.before if self.verb == "park" else self.after)

    @property
    def title(self) -> str:
        return Process.title(self.method, *self.args)

    def landed(self, world: World) -> bool:
        """Parked things may still be listed, so a parking always counts as landed."""
        if self.verb == "park":
            return True
        return self.key not in world.spelt if self.after is ABSENT else world.has(self.key, self.after)

    def set_up(self, bench: Bench, now: World) -> None:
        """From a world with nothing else changed to the moment before this deed."""
        listed = self.key in now.spelt
        if self.before is ABSENT:
            if listed:
                bench.do("delete", self.key)
        elif not now.has(self.key, self.before):
            bench.put(self.key, self.before, exists=listed)
        if self.verb == "unpark":
            bench.do("park", self.key, self.before)

    def do(self, bench: Bench, around: Around | None = None) -> Said:
        return bench.ask(self.method, *self.args, around=around)

    def again(self, bench: Bench, now: World) -> tuple[World, str]:
        """What the next pass would do about it; the world then, and words if that did not help."""
        if self.landed(now) and (self.verb != "park" or self.key not in now.spelt):
            return now, ""
        method = self.method
        if self.verb in ("create", "update"):
            method = bench.writer(exists=self.key in now.spelt)
        said = bench.ask(method, *self.args)
        if isinstance(said.error, Missing) and self.verb == "unpark":
            said = bench.ask(bench.writer(exists=False), *self.args)
        gone = self.verb == "delete" and isinstance(said.error, Missing)
        if not said.well and not gone:
            return now, f"{Process.title(method, *self.args)} {ended(said)}"
        later = bench.world(until=self.landed)
        return later, "" if self.landed(later) else f"done again, {self.key!r} is {later.shown(self.key)}"


def deeds(bench: Bench) -> Iterator[Deed]:
    """Create, update, delete; park and unpark where they are written."""
    cast, known = bench.cast, bench.once("values", sound_values)
    one: AnyValue | Absence = cast.values[0]
    yield Deed("create", bench.writer(exists=False), cast.key, ABSENT, one)
    if len(known) > 1:
        yield Deed("update", bench.writer(exists=True), cast.key, one, known[1])
    yield Deed("delete", "delete", cast.key, one, ABSENT)
    if bench.has("park"):
        yield Deed("park", "park", cast.key, one, ABSENT)
        yield Deed("unpark", "unpark", cast.key, one, one)


def sound_values(bench: Bench) -> tuple[AnyValue, ...]:
    """Values that a new key takes as they are, the made-up one among them if it is allowed."""
    cast = bench.cast
    known = [cast.values[0]]
    for value in (*cast.values[1:], *(() if cast.guess is None else (cast.guess,))):
        bench.restore()
        deed = Deed("create", bench.writer(exists=False), cast.key, ABSENT, value)
        if deed.do(bench).well and deed.landed(bench.world(until=deed.landed)):
            known.append(value)
    bench.restore()
    return tuple(known)
