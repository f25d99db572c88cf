"""The bench that a loop is put on: its world as it was found, keys to play with, and the way back."""

import threading
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

from setpoint import system
from setpoint.loop.conformance.backup import Backup
from setpoint.loop.conformance.players import Players, players
from setpoint.loop.conformance.process import PAUSE_SECONDS, Around, Make, Process, Said
from setpoint.loop.conformance.sources import Watch
from setpoint.loop.conformance.words import blamed
from setpoint.loop.conformance.world import World, differences
from setpoint.loop.keyed import Keyed, defines, seconds
from setpoint.words import add_article

AnyValue = Any
FoundT = TypeVar("FoundT")


class Skipped(Exception):
    """The check does not apply to this loop, and why."""


class Untested(Skipped):
    """The check applies and could not be made. It fails, unless `family` is accepted with a reason."""

    def __init__(self, why: str, family: str) -> None:
        super().__init__(why)
        self.family = family


class Broke(Exception):
    """The loop did something that the check cannot go on after."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How long one call may take, how often to let it die, and what to play with."""

    timeout: float = 10.0
    crash_points: int = 160
    sample: Mapping[str, AnyValue] | None = None


class Bench:
    """One loop under test. Every call is made by a process of its own unless a check keeps one."""

    def __init__(self, make: Make, rules: Rules) -> None:
        self.make, self.rules = make, rules
        self.settles_in = _check(make)
        self._known: dict[object, Any] = {}
        self.found = World({}, {})
        self.stage = World({}, {})
        """What was found, with somebody added to lose: what every check begins with."""
        self._touched = False
        self._cast: Players | None = None
        self._backup = Backup({}, {})
        self._owned: dict[str, bool] = {}
        self.first_reach = 0  # How much the very first observation reached for outside.

    @property
    def cast(self) -> Players:
        if self._cast is None:
            raise ValueError(
                "desired() and observe() are both empty, so there is nothing to play with: hand over"
                " sample={key: value}"
            )
        return self._cast

    def process(self) -> Process:
        return Process(self.make, self.rules.timeout, self.owns)

    def owns(self, loop: Keyed, key: str, value: AnyValue) -> bool:
        """Whether mine() says so, asked once for each key; what is played with is ours in any case."""
        if not defines(loop, "mine") or (self._cast is not None and key in self._cast.keys):
            return True
        if key not in self._owned:
            try:
                self._owned[key] = bool(loop.mine(key, value))  # type: ignore[attr-defined]
            except Exception:  # noqa: BLE001 - what it raises is found by the check of sorting
                return True
        return self._owned[key]

    def has(self, method: str) -> bool:
        return self.once(("has", method), lambda _: self.process().has(method))

    def once(self, name: object, find: Callable[["Bench"], FoundT]) -> FoundT:
        """Found out at the first question and kept: several checks may judge one experiment."""
        if name not in self._known:
            self._known[name] = find(self)
        found: FoundT = self._known[name]
        return found

    def ask(self, method: str, *args: object, around: Around | None = None) -> Said:
        """One call in the life of a process, with values of its own."""
        with self.process() as process:
            return process.call(method, *deepcopy(args), around=around)

    def do(self, method: str, *args: object) -> Any:
        """A call that has to go well."""
        return answered(self.ask(method, *args), method, *args)

    def world(self, process: Process | None = None, until: Callable[[World], bool] = lambda _: True) -> World:
        """What a fresh process observes, or this one; a loop that settles later gets the time it asks for."""
        now = seen(process.call("observe") if process else self.ask("observe"), "observe")
        ends = system.monotonic() + min(self.settles_in, self.rules.timeout)
        while not until(now) and system.monotonic() < ends:
            threading.Event().wait(PAUSE_SECONDS)
            now = seen(process.call("observe") if process else self.ask("observe"), "observe")
        return now

    def writer(self, *, exists: bool) -> str:
        """The method that the library would call."""
        if self.has("put"):
            return "put"
        return "update" if exists else "create"

    def put(self, key: str, value: AnyValue, *, exists: bool = False) -> None:
        self.do(self.writer(exists=exists), key, value)

    def prepare(self, found: World, wanted: World) -> None:
        """What is there, who plays, who looks on."""
        self.found = self.stage = found
        foreign = frozenset(key for key, ours in self._owned.items() if not ours)
        self._cast = players(self.rules.sample, wanted.without(foreign), found, foreign)

    def people(self) -> None:
        """Add the bystanders, and remember how everything lies."""
        self._touched = True
        for key, value in self.cast.bystanders:
            self.put(key, value)
        self.world(until=lambda world: all(key in world.spelt for key, _ in self.cast.bystanders))
        watch = Watch()
        self.stage = seen(self.ask("observe", around=watch), "observe")
        self._backup = Backup.of(watch.files, watch.folders)

    def remember(self, watch: Watch) -> None:
        """How the files lie that writing reaches for, too."""
        more = Backup.of(watch.files, ())
        self._backup = Backup({**more.files, **self._backup.files}, self._backup.folders)

    def restore(self, goal: World | None = None, *, damaged: bool = False) -> bool:
        """Back to the stage, or to how it was found: by the loop's own means, then by copies of its files."""
        if not self._touched:
            return True  # Nothing was written yet, and nothing is before it is known how all of it lay.
        goal = goal or self.stage
        if not damaged and self._brought_back(goal):
            return True
        self._backup.put_back()
        return self._brought_back(goal)

    def _brought_back(self, goal: World) -> bool:
        try:
            now = self.world()
            # What was written and is not seen yet would come up in the middle of the next check.
            unseen = self.cast.keys if self.settles_in else frozenset[str]()
            if not unseen and not differences(goal, now):
                return True
            for key in (now.spelt.keys() | unseen) - goal.spelt.keys():
                self.ask("delete", key)
            for key, text in goal.spelt.items():
                if now.spelt.get(key) != text:
                    self.ask(self.writer(exists=key in now.spelt), key, goal.values[key])
            return not differences(goal, self.world(until=lambda world: not differences(goal, world)))
        except Broke:
            return False


def _check(make: Make) -> float:
    """How long its effects may stay unseen; or TypeError: it must give loops, a new one each time."""
    one, other = make(), make()
    if not isinstance(one, Keyed):
        raise TypeError(
            f"assert_loop needs a Keyed class or what gives one; this gives {add_article(type(one).__name__)}"
        )
    if one is other:
        raise TypeError("assert_loop needs a fresh instance each time; this gives the same one again")
    try:
        return seconds(one.settles_in)
    except ValueError:
        return 0.0  # One of the mistakes that are listed later.


def answered(said: Said, method: str, *args: object) -> Any:
    """Its answer, or Broke with the words."""
    if said.well:
        return said.answer
    raise Broke(f"{Process.title(method, *args)} {ended(said)}")


def ended(said: Said) -> str:
    """How a call ended that did not end well."""
    return "gave no answer in time" if said.hangs or said.error is None else f"raised {blamed(said.error)}"


def seen(said: Said, method: str) -> World:
    try:
        return World.of(answered(said, method))
    except ValueError as error:
        raise Broke(f"{method}() answered something else than JSON values: {error}") from error
