"""Checks of one experiment: a process writes a new key; itself, an older and a fresh one look for it."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from setpoint.loop.conformance.bench import Bench, answered, ended, seen
from setpoint.loop.conformance.process import Process
from setpoint.loop.conformance.sources import Watch


@dataclass(frozen=True, slots=True)
class First:
    """Who saw it."""

    title: str
    writer: bool
    earlier: bool
    fresh: bool
    from_memory: bool  # The fresh one reached for nothing outside, although the very first had.

    @property
    def nobody(self) -> bool:
        return not (self.writer or self.earlier or self.fresh)


def wrote(bench: Bench) -> First:
    bench.people()
    key, value = bench.cast.key, bench.cast.values[0]
    method = bench.writer(exists=False)
    with bench.process() as earlier, bench.process() as writer:
        bench.world(earlier)
        writing = Watch()
        answered(writer.call(method, key, deepcopy(value), around=writing), method, key, value)
        bench.world(until=lambda world: key in world.spelt)
        watch = Watch()
        fresh = seen(bench.ask("observe", around=watch), "observe")
        bench.remember(writing)
        return First(
            title=Process.title(method, key, value),
            writer=key in bench.world(writer).spelt,
            earlier=key in bench.world(earlier).spelt,
            fresh=key in fresh.spelt,
            from_memory=bench.first_reach > 0 and not watch.touched,
        )


def create(bench: Bench) -> Iterator[str]:
    first = bench.once("first", wrote)
    if first.nobody and not first.from_memory:
        yield f"{first.title} ended well, and observe() does not show it"


def outside_change(bench: Bench) -> Iterator[str]:
    first = bench.once("first", wrote)
    if first.nobody and first.from_memory:
        yield f"after {first.title} observe() reads nothing outside any more and answers as before"
    elif first.fresh and not first.earlier:
        yield f"after {first.title} by another process, one that had observed before still does not see it"


def fresh_instance(bench: Bench) -> Iterator[str]:
    first = bench.once("first", wrote)
    if first.writer and not first.fresh:
        yield f"{first.title} is seen by the process that did it, and by no other"
    elif first.fresh:
        yield from _heirs(bench)


def _heirs(bench: Bench) -> Iterator[str]:
    """A process that did not make it must be able to change it and to take it away."""
    key, value = bench.cast.key, bench.cast.values[-1]
    deeds: dict[str, tuple[object, ...]] = {bench.writer(exists=True): (key, value), "delete": (key,)}
    for method, args in deeds.items():
        bench.restore()
        with bench.process() as maker:
            making = (bench.writer(exists=False), key, bench.cast.values[0])
            answered(maker.call(making[0], *deepcopy(making[1:])), *making)
            said = bench.ask(method, *args)
            if not said.well and maker.call(method, *deepcopy(args)).well:
                title = Process.title(method, *args)
                yield f"{title} {ended(said)} in a fresh process, not where it was made"
