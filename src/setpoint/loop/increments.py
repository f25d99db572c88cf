"""Looking at a loop that can say what changed: a pass costs as much as did change, not as much as there is.

Everything is observed at the first look, after anything went wrong, when changes() says None, and at every
tenth interval. Between, an item of desired() that is the very object it was is taken to be unchanged.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final

from setpoint.engine.columns import WIDTH, Columns
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence
from setpoint.loop.questions import Questions, Sorted
from setpoint.loop.sight import Seen, meant, there
from setpoint.loop.snapshot import Side

AnyValue = Any
Values = Mapping[str, AnyValue]

WHOLE_EVERY: Final = 10
"""Intervals between two looks at everything: what changes() forgot to say is found then."""
_UNKNOWN: Final = b"?" * WIDTH


class Increments:
    """Both sides as they were last seen, and two columns that tell where they differ."""

    def __init__(self, ask: Questions, now: Callable[[], float]) -> None:
        self._ask, self._now = ask, now
        self._columns = Columns()
        self._wanted: dict[str, AnyValue] = {}
        self._found: dict[str, AnyValue] = {}
        self._strangers: dict[str, AnyValue] = {}  # There, but not ours.
        self._there: frozenset[str] = frozenset()
        self._sorted = Sorted()
        self._whole_at = now()
        self._alone = asyncio.Lock()

    async def seen(self, acted: frozenset[str], parked: Collection[str]) -> Seen:
        """`acted`: what was changed since; what changes() does not say of it is looked at."""
        async with self._alone:
            due = self._whole_at
            self._whole_at = self._now()  # Whatever fails below makes the next look a whole one.
            wanted = await self._ask.unless_same("desired", self._wanted)
            # Asked also before everything is observed: so that nothing falls between the two.
            told = await self._ask.changes()
            changed = await self._with_acted(told if self._now() < due else None, acted)
            if changed is None:
                await self._look_at_all(self._wanted if wanted is None else wanted)
                due = self._now() + WHOLE_EVERY * self._ask.terms.every
            else:
                await self._move(wanted, changed)
            self._whole_at = due
            return self._seen(parked)

    async def _with_acted(self, changed: Values | None, acted: frozenset[str]) -> Values | None:
        """A source may not tell of what we did ourselves; without `look` everything is observed."""
        silent = acted - changed.keys() if changed is not None else frozenset()
        if changed is None or not silent:
            return changed
        if not self._ask.has("look"):
            return None
        return {**changed, **{key: await self._ask.look(key) for key in silent}}

    async def _look_at_all(self, wanted: dict[str, AnyValue]) -> None:
        wanted = meant(self._ask, wanted)
        found = there(await self._ask.pairs("observe"))
        sorted_ = await self._ask.sort(wanted, found)
        ours = {key: value for key, value in found.items() if key not in sorted_.foreign}
        strangers = {key: found[key] for key in sorted_.foreign}
        columns = Columns()
        for key, value in wanted.items():
            columns.want(key, self._digest("desired", key, value))
        for key, value in ours.items():
            columns.saw(key, self._digest("observe", key, value))
        self._columns, self._sorted, self._there = columns, sorted_, frozenset(ours)
        self._wanted, self._found, self._strangers = wanted, ours, strangers

    async def _move(self, wanted: dict[str, AnyValue] | None, changed: Values) -> None:
        if wanted is not None:
            self._want(meant(self._ask, wanted))
        foreign = await self._ask.foreign(there(changed)) if changed else frozenset()
        for key, value in changed.items():
            for side in (self._found, self._strangers):
                side.pop(key, None)
            ours = value is not ABSENT and key not in foreign
            self._columns.saw(key, self._digest("changes", key, value) if ours else None)
            if value is not ABSENT:
                (self._found if ours else self._strangers)[key] = value
        if any((key in self._found) != (key in self._there) for key in changed):
            self._there = frozenset(self._found)
        if not self._ask.relates:
            self._sorted = Sorted(frozenset(self._strangers))
        elif changed or wanted is not None:
            # Groups and needs are about all items together, so all are asked again.
            self._sorted = await self._ask.sort(self._wanted, {**self._found, **self._strangers})

    def _want(self, wanted: dict[str, AnyValue]) -> None:
        for key in self._wanted.keys() - wanted.keys():
            self._columns.want(key, None)
        for key, value in wanted.items():
            if self._wanted.get(key, ABSENT) is not value:
                self._columns.want(key, self._digest("desired", key, value))
        self._wanted = wanted

    def _seen(self, parked: Collection[str]) -> Seen:
        different = self._columns.different() | frozenset(parked)
        return Seen(
            Side(self._wanted, self._spelt("desired", different, self._wanted)),
            Side(self._found, self._spelt("observe", different, self._found)),
            self._sorted,
            self._there,
        )

    def _spelt(self, method: str, keys: Iterable[str], values: Values) -> dict[str, bytes]:
        known = ((key, values[key]) for key in keys if key in values)
        return {k: self._ask.spelt(method, k, v) for k, v in known if not isinstance(v, Absence)}

    def _digest(self, method: str, key: str, value: AnyValue) -> bytes:
        if value is UNKNOWN:
            return _UNKNOWN
        return blake2b(self._ask.spelt(method, key, value), digest_size=WIDTH).digest()
