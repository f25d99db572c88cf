"""Checks of a process that dies at any line of a deed: nobody else notices, and the next one goes on."""

import gc
import inspect
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from setpoint.loop.conformance.bench import Bench, Broke
from setpoint.loop.conformance.crash import Line, Steps, worth
from setpoint.loop.conformance.deed import Deed, deeds
from setpoint.loop.conformance.swap import swapped
from setpoint.loop.conformance.words import counted, listed
from setpoint.loop.conformance.world import World, differences
from setpoint.loop.keyed import Keyed

ENOUGH: Final = 3  # Deaths of one deed that did harm: further ones would only say it again.


@dataclass(frozen=True, slots=True)
class Death:
    """Where a deed died, and what was wrong afterwards."""

    deed: Deed
    line: Line
    effect: str
    """The last thing that it had done outside."""
    harm: str = ""
    stuck: str = ""


def atomic(bench: Bench) -> Iterator[str]:
    yield from _told(bench, "harm", "is not atomic")


def goes_on(bench: Bench) -> Iterator[str]:
    yield from _told(bench, "stuck", "cannot go on where it died")


def _told(bench: Bench, wrong: str, verdict: str) -> Iterator[str]:
    """One sentence for each method: the first death, and how many more."""
    by_method: dict[str, list[Death]] = {}
    for death in bench.once("deaths", deaths):
        if getattr(death, wrong):
            by_method.setdefault(death.deed.method, []).append(death)
    for method, found in by_method.items():
        line, effect = found[0].line, found[0].effect
        source = linecache.getline(line.file, line.number).strip()
        more = f" (and at {counted(len(found) - 1, 'more place')} at least)" if found[1:] else ""
        after = f" after {effect}" if effect else ""
        yield f"{method} {verdict}: a crash{after} {getattr(found[0], wrong)}"
        yield f"  at {line}{more}: {source}"


def deaths(bench: Bench) -> list[Death]:
    todo = list(deeds(bench))
    with _quiet_deaths():
        return [
            death for deed in todo for death in _deaths(bench, deed, bench.rules.crash_points // len(todo))
        ]


def _deaths(bench: Bench, deed: Deed, most: int) -> Iterator[Death]:
    own = _files_of(type(bench.process().loop))
    bench.restore(damaged=True)
    deed.set_up(bench, bench.stage)
    steps = Steps(own)
    deed.do(bench, steps)
    (now, harm, stuck), harmful = (bench.world(), "", ""), 0
    for place in worth(steps, most):
        if harm or stuck:
            bench.restore(damaged=True)
            now = bench.stage
        deed.set_up(bench, now)
        dying = Steps(own, place)
        with bench.process() as process:
            process.call(deed.method, *deepcopy(deed.args), around=dying)
            gc.collect()  # A dead process holds nothing open; let go of it while its event loop is there.
        now, harm, stuck = _after(bench, deed)
        if dying.died_at and (harm or stuck):
            harmful += 1
            yield Death(deed, dying.died_at, dying.died_after, harm, stuck)
        if harmful == ENOUGH:
            return


def _after(bench: Bench, deed: Deed) -> tuple[World, str, str]:
    """How the world looks now, what was harmed, and what keeps the next process from going on."""
    try:
        now = bench.world()
    except Broke as broke:
        return bench.stage, f"loses {counted(len(bench.stage.spelt), 'key')}: {broke}", ""
    if changes := differences(bench.stage, now, but=deed.key):
        gone = len(bench.stage.spelt.keys() - now.spelt.keys())
        lost = f"loses {counted(gone, 'key')}" if gone else "changes others"
        return now, f"{lost}: {listed(changes)}", ""
    try:
        now, words = deed.again(bench, now)
    except Broke as broke:
        return bench.stage, "", f"leaves it stuck: {broke}"
    return now, "", f"leaves it stuck: {words}" if words else ""


def _files_of(loop: type[Keyed]) -> frozenset[str]:
    """Where its author wrote it, wherever that is installed."""
    written = loop.__mro__[: loop.__mro__.index(Keyed)]
    return frozenset(file for each in written if (file := _file(each)))


def _file(cls: type) -> str:
    try:
        return inspect.getfile(cls)
    except (OSError, TypeError):  # Typed in, not read from a file.
        return ""


@contextmanager
def _quiet_deaths() -> Iterator[None]:
    """What the dead leave behind is swept up swiftly, and what goes wrong then is nobody's error."""
    gc.collect()
    gc.freeze()  # Whatever exists already is left out of each collection.
    try:
        with swapped(sys, "unraisablehook", lambda _: None):
            yield
            gc.collect()
    finally:
        gc.unfreeze()
