"""Checks of what only reads: desired, observe, look, mine, group, needs."""

from collections.abc import Iterator
from typing import Final

from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Absence
from setpoint.loop.conformance.bench import Bench, Skipped, ended, seen
from setpoint.loop.conformance.process import Process, Said
from setpoint.loop.conformance.sources import Watch
from setpoint.loop.conformance.words import listed, short
from setpoint.loop.conformance.world import World, differences, spelling
from setpoint.loop.keyed import checked
from setpoint.loop.values import spelled
from setpoint.words import add_article

SORTING: Final = ("mine", "group", "needs")
LOOKS: Final = 3


def well_formed(bench: Bench) -> Iterator[str]:
    try:
        checked(bench.process().loop)
    except Rejected as error:
        yield from (mistake.message for mistake in error.mistakes)


def answers(bench: Bench) -> Iterator[str]:
    """After this, both can be asked without further care."""
    watch = Watch()
    found = bench.ask("observe", around=watch)
    wanted = bench.ask("desired")
    wrong = [*_wrong(found, "observe"), *_wrong(wanted, "desired")]
    yield from wrong
    if not wrong:
        bench.first_reach = len(watch.touched)
        bench.prepare(seen(found, "observe"), seen(wanted, "desired"))


def _wrong(said: Said, method: str) -> Iterator[str]:
    if not said.well:
        yield str(said.error) if isinstance(said.error, Rejected) else f"{method}() {ended(said)}"
        return
    for key, value in said.answer.items():
        if isinstance(value, Absence):
            if method == "desired":
                yield f"{method}() says {value.name} at {key!r}"
            continue
        try:
            spelled(value)
        except ValueError as error:
            yield f"{method}() has {add_article(type(value).__name__)} at {key!r}: {error}"


def stable(bench: Bench) -> Iterator[str]:
    for method in ("desired", "observe"):
        with bench.process() as process:
            first, second = (seen(process.call(method), method) for _ in range(2))
        if changes := differences(first, second):
            yield f"{method}() asked again at once: {listed(changes)}"


def read_only(bench: Bench) -> Iterator[str]:
    bench.ask(bench.writer(exists=False), bench.cast.key, bench.cast.values[0])  # Somebody who is not wanted.
    before = bench.world(until=lambda world: bench.cast.key in world.spelt)
    for method in ("desired", *(each for each in ("look", *SORTING) if bench.has(each))):
        for args in _arguments(method, before):
            bench.ask(method, *args)
        if changes := differences(before, bench.world()):
            yield f"{method} changed the world: {listed(changes)}"
            bench.restore()


def _arguments(method: str, world: World) -> list[tuple[object, ...]]:
    if method == "desired":
        return [()]
    keys = list(world.values)[:LOOKS]
    return [(key,) if method == "look" else (key, world.values[key]) for key in keys]


def look(bench: Bench) -> Iterator[str]:
    if not bench.has("look"):
        raise Skipped("there is no look")
    world, gone = bench.world(), bench.cast.key
    for key in list(world.spelt)[:LOOKS]:
        yield from _looked(bench.ask("look", key), key, world)
    if gone not in world.spelt:
        yield from _looked(bench.ask("look", gone), gone, world)


def _looked(said: Said, key: str, world: World) -> Iterator[str]:
    title = Process.title("look", key)
    if not said.well:
        yield f"{title} {ended(said)}, and observe() shows {world.shown(key)}"
    elif key not in world.spelt:
        if said.answer is not ABSENT:
            yield f"{title} answered {short(said.answer)} about what observe() does not show; ABSENT was due"
    elif isinstance(said.answer, Absence) or spelling(said.answer) != world.spelt[key]:
        answer = said.answer.name if isinstance(said.answer, Absence) else short(said.answer)
        yield f"{title} answered {answer}, and observe() shows {world.shown(key)}"


def sorting(bench: Bench) -> Iterator[str]:
    written = [method for method in SORTING if bench.has(method)]
    if not written:
        raise Skipped("there is no mine, group or needs")
    world = bench.world()
    for method in written:
        for key, value in list(world.values.items())[:LOOKS]:
            yield from _asked_thrice(bench, method, key, value)
    if "mine" in written:
        yield from _disowned(bench)


def _asked_thrice(bench: Bench, method: str, key: str, value: object) -> Iterator[str]:
    text = spelling(value)
    with bench.process() as process:
        said = [process.call(method, key, value), process.call(method, key, value)]
    said.append(bench.ask(method, key, value))
    title = Process.title(method, key, value)
    if bad := next((each for each in said if not each.well), None):
        yield f"{title} {ended(bad)}"
        return
    answers = [_comparable(each.answer) for each in said]
    if answers[0] != answers[1] or answers[0] != answers[2]:
        yield f"{title} answered {', then '.join(short(each) for each in answers)}"
    if spelling(value) != text:
        yield f"{title} changed the value that it was given"


def _disowned(bench: Bench) -> Iterator[str]:
    key, value = bench.cast.key, bench.cast.values[0]
    bench.put(key, value)
    made = bench.world(until=lambda world: key in world.spelt)
    if key in made.values and not bench.do("mine", key, made.values[key]):
        yield f"mine({key!r}, {made.shown(key)}) says that what {bench.writer(exists=False)} made is not ours"


def _comparable(answer: object) -> object:
    return sorted(map(str, answer)) if isinstance(answer, list | tuple | set | frozenset) else answer
