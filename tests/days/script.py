"""What an operator does in a day, as a value: generated from a seed, or written down step by step."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

MINUTE: Final = 60.0
HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
WORK_ENDS: Final = 21 * HOUR
"""Nothing new is begun later: by the end of the day everything must be reached."""
Wanted = dict[str, str]


@dataclass(frozen=True)
class Step:
    """One thing that is done at one time. What is None stays as it is."""

    at: float
    why: str
    wanted: Wanted | None = None
    """The whole file as it is now; what it no longer mentions is withdrawn."""
    deleted: tuple[str, ...] = ()
    """Keys that are deleted by name beforehand, where objects can be."""
    size: int | None = None
    """Of the scaling group."""
    outage: float = 0.0
    """The vendor is away for so long."""
    restart: bool = False
    mistaken: bool = False
    """A file that was cut off: nobody approves what follows from it."""


@dataclass
class Day:
    """A day in the making: the steps so far, and what is wanted after them."""

    chance: Random
    wanted: Wanted
    size: int
    steps: list[Step] = field(default_factory=list)
    ends: float = DAY
    _made: int = 0

    @property
    def ordered(self) -> tuple[Step, ...]:
        return tuple(sorted(self.steps, key=lambda step: step.at))

    # Every one of these returns how long it takes until the next one may begin.

    def toggle(self, at: float) -> float:
        """A value goes there and back, several times."""
        key, times = self.chance.choice(sorted(self.wanted)), self.chance.randint(1, 4)
        before, other, gap = self.wanted[key], self._value(), self.chance.uniform(2 * MINUTE, 10 * MINUTE)
        for turn in range(2 * times):
            self._file(at + turn * gap, "toggle", self.wanted | {key: before if turn % 2 else other})
        return 2 * times * gap

    def edit(self, at: float) -> float:
        keys = self._some(self.chance.randint(1, 5))
        self._file(at, "edit", self.wanted | {key: self._value() for key in keys})
        return 5 * MINUTE

    def rename(self, at: float) -> float:
        for old in self._some(self.chance.randint(1, 2)):
            kept = {key: value for key, value in self.wanted.items() if key != old}
            self.wanted = kept | {self._key(): self.wanted[old]}
        self._file(at, "rename", self.wanted)
        return 15 * MINUTE

    def banner(self, at: float) -> float:
        """Added now, removed later on the same day."""
        key, gone_at = self._key("banner"), at + self.chance.uniform(30 * MINUTE, 2 * HOUR)
        self._file(at, "banner added", self.wanted | {key: self._value()})
        self._file(gone_at, "banner removed", {k: v for k, v in self.wanted.items() if k != key})
        return gone_at - at + 5 * MINUTE

    def release(self, at: float) -> float:
        """Most of what is there gets another value at once; every other time it is rolled back."""
        before, keys = self.wanted, self._some(int(len(self.wanted) * self.chance.uniform(0.3, 1.0)) or 1)
        self._file(at, "release", before | {key: self._value() for key in keys})
        if self.chance.random() < 0.5:
            self._file(at + 20 * MINUTE, "release rolled back", before)
        return 45 * MINUTE

    def grow(self, at: float) -> float:
        new = {self._key(): self._value() for _ in range(self.chance.randint(1, 12))}
        self._file(at, "grow", self.wanted | new)
        return 10 * MINUTE

    def tidy(self, at: float) -> float:
        """One or two that nobody needs any more."""
        gone = self._some(min(self.chance.randint(1, 2), len(self.wanted) - 1))
        self._file(at, "tidy up", {k: v for k, v in self.wanted.items() if k not in gone})
        return 20 * MINUTE

    def delete(self, at: float) -> float:
        """By name: it is left out of what guards count."""
        if len(self.wanted) < 3:
            return 0.0
        gone = tuple(self._some(1))
        left = {k: v for k, v in self.wanted.items() if k not in gone}
        self._file(at, "delete by name", left, deleted=gone)
        return 10 * MINUTE

    def alias(self, at: float) -> float:
        """An address becomes an alias: the provider takes no alias beside an address."""
        key = self._some(1)[0]
        self._file(
            at, "alias", self.wanted | {key: "alias" if self.wanted[key] != "alias" else self._value()}
        )
        return 20 * MINUTE

    def shrink(self, at: float) -> float:
        """Planned: a third to two thirds go, which a person approves; then a rename, which needs nobody."""
        count = int(len(self.wanted) * self.chance.uniform(0.34, 0.66))
        gone = self._some(min(count, len(self.wanted) - 2))
        self._file(at, "planned shrink", {k: v for k, v in self.wanted.items() if k not in gone})
        return HOUR + self.rename(at + HOUR)

    def misread(self, at: float) -> float:
        """Half a file, or an empty one; put right after a while."""
        before = self.wanted
        kept = [] if self.chance.random() < 0.5 else self._some(len(before) // 2)
        self._file(at, "misread file", {key: before[key] for key in kept}, mistaken=True)
        self._file(at + 20 * MINUTE, "file put right", before)
        return 30 * MINUTE

    def scale(self, at: float) -> float:
        size = max(1, self.size + self.chance.choice((-2, -1, 1, 1, 2, 3)))
        self.steps.append(Step(at, f"scale {self.size} to {size}", size=size))
        self.size = size
        return 20 * MINUTE

    def outage(self, at: float) -> float:
        """Ten minutes, in which people go on working."""
        self.steps.append(Step(at, "vendor outage", outage=10 * MINUTE))
        self.edit(at + 3 * MINUTE)
        return 20 * MINUTE

    def restart(self, at: float) -> float:
        self.steps.append(Step(at, "restart", restart=True))
        return 5 * MINUTE

    def _file(self, at: float, why: str, wanted: Wanted, **more: object) -> None:
        self.wanted = dict(wanted)
        self.steps.append(Step(at, why, wanted=dict(wanted), **more))  # type: ignore[arg-type]

    def _some(self, count: int) -> list[str]:
        return self.chance.sample(sorted(self.wanted), max(0, min(count, len(self.wanted))))

    def _key(self, prefix: str = "k") -> str:
        self._made += 1
        return f"{prefix}{self._made}"

    def _value(self) -> str:
        return f"192.0.2.{self.chance.randint(1, 250)}"


def generated(seed: int) -> Day:
    """A day of ordinary work, as this seed has it."""
    chance = Random(seed)  # noqa: S311 - the same day every time
    day = Day(chance, {}, chance.randint(2, 6))
    day.wanted = {day._key(): day._value() for _ in range(chance.randint(5, 60))}
    day.steps.append(Step(0.0, "begin", wanted=dict(day.wanted), size=day.size))
    at = HOUR
    for do in _chosen(day):
        at += chance.uniform(5 * MINUTE, 40 * MINUTE)
        if at >= WORK_ENDS:
            break
        at += do(at)
    return day


def _chosen(day: Day) -> Iterator[object]:
    often = (day.toggle, day.edit, day.rename, day.banner, day.tidy, day.grow, day.scale)
    seldom = (day.release, day.delete, day.alias, day.shrink, day.misread, day.outage, day.restart)
    for _ in range(200):
        yield day.chance.choice((*often, *often, *seldom))


def written() -> Day:
    """The operator's day: everything that people do, once or more, in an order that can be read."""
    day = Day(Random("an operator's day"), {}, 4)  # noqa: S311 - as above
    day.wanted = {day._key(): day._value() for _ in range(20)}
    day.steps.append(Step(0.0, "begin", wanted=dict(day.wanted), size=day.size))
    at = HOUR
    morning = (day.banner, day.toggle, day.toggle, day.rename, day.rename, day.release, day.scale, day.grow)
    noon = (day.edit, day.outage, day.alias, day.restart, day.shrink, day.rename, day.tidy, day.delete)
    evening = (day.scale, day.misread, day.banner, day.toggle, day.restart, day.alias)
    for do in (*morning, *noon, *evening):
        at += 10 * MINUTE + do(at)
    assert at < WORK_ENDS, (
        f"the day is over at {WORK_ENDS / HOUR:.0f} h, and this one works until {at / HOUR:.1f} h"
    )
    return day


def restless() -> Day:
    """One value toggled fifty times, and one key added and removed fifty times, an edit every six minutes."""
    day = Day(Random("restless"), {}, 0)  # noqa: S311 - as above
    day.wanted = {day._key(): day._value() for _ in range(20)}
    day.steps.append(Step(0.0, "begin", wanted=dict(day.wanted), size=day.size))
    kept, key = dict(day.wanted), min(day.wanted)
    for turn in range(50):
        at = HOUR + turn * 12 * MINUTE
        kept |= {key: f"198.51.100.{1 + turn % 2}"}
        day._file(at, "toggle", kept | {"banner": "192.0.2.7"})
        day._file(at + 6 * MINUTE, "banner removed", kept)
    day.ends = at + 30 * MINUTE
    return day
