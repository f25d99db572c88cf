"""When objects were last observed and will be next: asked of the schedulers, and said where none answers.

What is asked for is answered for half a minute, so only the first who looks waits, and for a moment.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from msgspec import Struct, field

from setpoint.drive.observations import (
    ANSWER,
    ASKED,
    ASKED_SECONDS,
    Look,
    Observation,
    answered_in,
    asked_in,
    question,
)
from setpoint.engine.entity import Declared, Ref, Status, kind_of
from setpoint.engine.errors import FAILURES
from setpoint.engine.kind import Kinds
from setpoint.engine.moments import span
from setpoint.engine.store import Store, signs_of
from setpoint.engine.tenure import SHARDS, numbered

ValueT = TypeVar("ValueT")
PATIENCE_SECONDS: Final = 1.5
"""How long the first who looks waits for an answer."""
POLL_SECONDS: Final = 0.1
"""How soon an answer is read whose hint got lost."""
LEAST_SECONDS: Final = 0.001
FRESH_SECONDS: Final = 1.0
"""Answers are read again after so long."""
SILENT_SECONDS: Final = 10.0
"""Schedulers answer every second: one that is silent for so long does not answer."""
LATE_FACTOR: Final = 1.5
LATE_SECONDS: Final = 10.0
"""A look is late after so many intervals and seconds."""
MOST_KEPT: Final = 20_000
ANSWERS: Final = (*(Ref(f"{ANSWER}/{numbered('scheduler', number)}") for number in range(SHARDS)), ASKED)


class Watched(Struct, frozen=True):
    """One object as far as its observations go: whose look sees it, how often, and what its rows say."""

    judge: Ref
    every: float
    observed_at: float  # When its status was last written: it was observed then, and perhaps later.
    created_at: float


class Seen(Struct, frozen=True):
    """When an object was last observed and will be next, and what is wrong where that is long ago."""

    at: float = 0.0
    next_at: float = 0.0
    stale: str = ""


UNWATCHED: Final = Seen()


class Told(Struct, frozen=True):
    """An answer and when it was given."""

    observation: Observation
    at: float


class Observations(Struct):
    """Of the scheduler in this process, and of those that only the store reaches."""

    store: Store
    now: Callable[[], float]
    kinds: Kinds
    intervals: Mapping[str, float]
    here: Look
    alone: bool
    """Whether there is no scheduler but the one in this process."""
    _told: dict[Ref, Told] = field(default_factory=dict)
    _asked: dict[Ref, float] = field(default_factory=dict)
    _unanswered: dict[Ref, float] = field(default_factory=dict)
    _read_at: float = 0.0

    def watched(self, declared: Declared, status: Status | None) -> Watched | None:
        """What is needed to say when it was observed; None for what no loop looks at."""
        own = self.kinds[declared.kind].loop is not None
        judge = declared.ref if own else declared.parent
        every = self.intervals.get(kind_of(judge)) if judge else None
        if judge is None or every is None:
            return None
        return Watched(judge, every, status.observed_at if status else 0.0, declared.created_at)

    async def of(self, watched: Sequence[Watched | None]) -> list[Seen]:
        """The same order; waits a moment where nobody has asked lately."""
        if not self.alone:
            refs = {each.judge for each in watched if each is not None}
            await self._ask(refs - self.here(refs).keys())
        return self.known(watched)

    def known(self, watched: Sequence[Watched | None]) -> list[Seen]:
        """The same without asking anybody: what this process knows by now."""
        here, now = self.here({each.judge for each in watched if each is not None}), self.now()
        return [UNWATCHED if each is None else self._seen(each, here, now) for each in watched]

    def _seen(self, watched: Watched, here: Mapping[Ref, Observation], now: float) -> Seen:
        ref = watched.judge
        if ref in here:
            return seen(watched, Told(here[ref], now), now)
        told = self._told.get(ref)
        asked = self.alone or now - self._unanswered.get(ref, 0.0) < ASKED_SECONDS
        if told is None and not asked:
            return Seen(watched.observed_at)  # Nobody has asked yet: no reason to doubt.
        return seen(watched, told, now)

    async def _ask(self, refs: Iterable[Ref]) -> None:
        wanted, now = frozenset(refs), self.now()
        if not wanted:
            return
        told = asyncio.Event()
        forget = self.store.listen(lambda moved: told.set() if ANSWER in moved else None)
        try:
            await self._answered(wanted, now, told)
        except FAILURES:
            return  # The store is away: what is known is shown.
        finally:
            forget()

    async def _answered(self, wanted: frozenset[Ref], began: float, told: asyncio.Event) -> None:
        """Returns when there is an answer for each of these, or when there will be none."""
        if began - self._read_at > FRESH_SECONDS:
            await self._read()
        while True:
            if any(self.now() - self._asked.get(ref, 0.0) > ASKED_SECONDS / 3 for ref in wanted):
                await self._question(wanted)
            waiting = self._waiting(wanted)
            if not waiting:
                return
            if self.now() - began > PATIENCE_SECONDS:
                self._unanswered = {**_bounded(self._unanswered), **dict.fromkeys(waiting, began)}
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await told.wait()
            told.clear()  # Before the read: an answer that comes during it is read once more.
            await self._read()

    async def _question(self, refs: frozenset[Ref]) -> None:
        """Together with what is asked for here and by other replicas; who is overwritten asks again."""
        now = self.now()
        own = {ref: at for ref, at in self._asked.items() if now - at < ASKED_SECONDS}
        self._asked = {**own, **dict.fromkeys(refs, now)}
        before = (await signs_of(self.store, (ASKED,))).get(ASKED)
        asked = {**asked_in(before, now), **self._asked}
        # A replica whose clock is ahead of ours must not keep ours out.
        at = max(now, before.at + LEAST_SECONDS) if before else now
        await self.store.sign((question(asked, at),), hint=ASKED)

    def _waiting(self, refs: frozenset[Ref]) -> list[Ref]:
        """Those that nobody answered for lately, nor was given up on."""
        now = self.now()
        return [
            ref
            for ref in refs
            if not (ref in self._told and now - self._told[ref].at < SILENT_SECONDS)
            and now - self._unanswered.get(ref, 0.0) > SILENT_SECONDS
        ]

    async def _read(self) -> None:
        signs = dict(await signs_of(self.store, ANSWERS))
        self._read_at = self.now()
        asked = asked_in(signs.pop(ASKED, None), self._read_at)
        self._asked = {ref: at for ref, at in self._asked.items() if ref in asked}  # Else: overwritten.
        told = _bounded(self._told)
        for sign in sorted(signs.values(), key=lambda sign: sign.at):
            for ref, observation in answered_in(sign).items():
                before = told.get(ref)
                if before is None or before.at < sign.at:
                    told[ref] = Told(observation.after(before.observation if before else None), sign.at)
        self._told = told


def seen(watched: Watched, told: Told | None, now: float) -> Seen:
    """What is said of an object, given the last answer about it, if there was one."""
    late = late_after(watched.every)
    if told is None or now - told.at > SILENT_SECONDS:
        at = max(watched.observed_at, told.observation.at if told else 0.0)
        long_ago = now - max(at, watched.created_at) > late
        return Seen(at, 0.0, _unanswered(at, now, watched) if long_ago else "")
    found = told.observation
    at = max(watched.observed_at, found.at)
    expected = found.at or max(found.since, at, watched.created_at)
    return Seen(at, found.next_at, _overdue(at, now, watched) if now - expected > late else "")


def late_after(every: float) -> float:
    """So many seconds after the last look the next one is late."""
    return LATE_FACTOR * every + LATE_SECONDS


def described(found: Seen, now: float) -> str:
    """`observed 3 s ago, next look in 27 s`; empty for what no loop looks at."""
    if found == UNWATCHED:
        return ""
    last = f"observed {span(now - found.at)} ago" if found.at else "not observed yet"
    due = f"next look in {span(found.next_at - now)}" if found.next_at > now else "next look due now"
    return ", ".join((found.stale or last, *((due,) if found.next_at else ())))


def _overdue(at: float, now: float, watched: Watched) -> str:
    if not at:
        return f"never observed; expected within {span(watched.every)}"
    return f"not observed for {span(now - at)}; expected every {span(watched.every)}"


def _unanswered(at: float, now: float, watched: Watched) -> str:
    """It may have been observed later than we know."""
    last = f"last known observation {span(now - at)} ago" if at else "never observed"
    return f"no scheduler answers for it; {last}, expected every {span(watched.every)}"


def _bounded(known: dict[Ref, ValueT]) -> dict[Ref, ValueT]:
    return known if len(known) < MOST_KEPT else {}
