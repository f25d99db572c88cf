"""Checks of what writes: put, create, update, delete, park, unpark."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import islice, permutations
from typing import Final

from setpoint.engine.errors import FAILURES, Missing
from setpoint.loop.conformance.bench import Bench, Skipped, Untested, answered, ended
from setpoint.loop.conformance.deed import sound_values
from setpoint.loop.conformance.process import Process
from setpoint.loop.conformance.words import listed, short
from setpoint.loop.conformance.world import World, differences, spelling

CHANGES: Final = 6


def delete(bench: Bench) -> Iterator[str]:
    key = bench.cast.key
    bench.put(key, bench.cast.values[0])
    bench.do("delete", key)
    now = bench.world(until=_shows(key))
    if key in now.spelt:
        yield f"delete({key!r}) ended well, and observe() still shows {now.shown(key)}"


def delete_twice(bench: Bench) -> Iterator[str]:
    key = bench.cast.key
    bench.put(key, bench.cast.values[0])
    bench.do("delete", key)
    said = bench.ask("delete", key)
    if not said.well and not isinstance(said.error, Missing):
        yield f"delete({key!r}) {ended(said)} when it was gone already"


def round_trip(bench: Bench) -> Iterator[str]:
    for value in bench.cast.values:
        bench.restore()
        title = Process.title(bench.writer(exists=False), bench.cast.key, value)
        bench.put(bench.cast.key, value)
        now = bench.world(until=_shows(bench.cast.key, value))
        if not now.has(bench.cast.key, value):
            yield f"after {title} observe() shows {now.shown(bench.cast.key)}"


def update(bench: Bench) -> Iterator[str]:
    key, values = bench.cast.key, bench.once("values", sound_values)
    if len(values) == 1:
        raise Untested("only one value is known that is allowed: hand over a sample with two", "update")
    for old, new in islice(permutations(values, 2), CHANGES):
        bench.restore()
        bench.put(key, old)
        bench.put(key, new, exists=True)
        now = bench.world(until=_shows(key, new))
        if not now.has(key, new):
            title = Process.title(bench.writer(exists=True), key, new)
            yield f"after {title} over {short(old)} observe() shows {now.shown(key)}"
            return


def put_twice(bench: Bench) -> Iterator[str]:
    if not bench.has("put"):
        raise Skipped("there is no put")
    key, value = bench.cast.key, bench.cast.values[0]
    bench.put(key, value)
    once = bench.world(until=_shows(key, value))
    said = bench.ask("put", key, value)
    if not said.well:
        yield f"{Process.title('put', key, value)} {ended(said)} the second time"
    elif changes := differences(once, bench.world(until=lambda world: not differences(once, world))):
        yield f"{Process.title('put', key, value)} for the second time: {listed(changes)}"


def keeps_values(bench: Bench) -> Iterator[str]:
    for method in (bench.writer(exists=False), *(("park",) if bench.has("park") else ())):
        value = deepcopy(bench.cast.values[0])
        before, shown = spelling(value), short(value)
        with bench.process() as process:
            answered(process.call(method, bench.cast.key, value), method, bench.cast.key, value)
        if spelling(value) != before:
            yield f"{method}({bench.cast.key!r}, {shown}) turned the value it was given into {short(value)}"


def only_its_key(bench: Bench) -> Iterator[str]:
    cast = bench.cast
    creates, updates = bench.writer(exists=False), bench.writer(exists=True)
    deeds: list[tuple[object, ...]] = [(creates, cast.key, cast.values[0])]
    deeds += [(creates, key, value) for key, value in cast.second]
    deeds += [(updates, cast.key, bench.once("values", sound_values)[-1]), ("delete", cast.key)]
    deeds += [(creates, cast.key, cast.values[0]), *(("delete", key) for key, _ in cast.second)]
    before = bench.world()
    for method, key, *value in deeds:
        bench.do(str(method), key, *value)
        after = bench.world(until=_shows(str(key), *value))
        if changes := differences(before, after, but=str(key)):
            yield f"{Process.title(str(method), key, *value)} also did this: {listed(changes)}"
        before = after


def separate(bench: Bench) -> Iterator[str]:
    """Create where it is, update where it is not: they land, or they say in our words that they did not."""
    if bench.has("put"):
        raise Skipped("there is put instead of create and update")
    key, values = bench.cast.key, bench.once("values", sound_values)
    old, new = values[0], values[-1]
    for method, there in (("create", True), ("update", False)):
        bench.restore()
        if there:
            bench.put(key, old)
        said = bench.ask(method, key, new)
        where = "what is there" if there else "what is not there"
        title = f"{Process.title(method, key, new)} of {where}"
        if isinstance(said.error, FAILURES):
            continue
        if not said.well:
            yield f"{title} {ended(said)}, which is none of ours"
        else:
            yield from _landed(bench.world(until=_shows(key, new)), title, key, new)


def _landed(now: World, title: str, key: str, value: object) -> Iterator[str]:
    if not now.has(key, value):
        yield f"{title} ended well, and observe() shows {now.shown(key)}"


def park(bench: Bench) -> Iterator[str]:
    if not bench.has("park"):
        raise Skipped("there is no park")
    key, value = bench.cast.key, bench.cast.values[0]
    bench.put(key, value)
    before = bench.world(until=_shows(key, value))
    bench.do("park", key, value)
    if changes := differences(before, bench.world(), but=key):
        yield f"{Process.title('park', key, value)} also did this: {listed(changes)}"
    bench.do("unpark", key, value)
    if changes := differences(before, bench.world(until=_shows(key, value))):
        yield f"after park and unpark of {key!r}: {listed(changes)}"


def _shows(key: str, *value: object) -> Callable[[World], bool]:
    """Whether a world has the key with this value; without one, whether it lacks it."""
    return lambda world: world.has(key, value[0]) if value else key not in world.spelt
