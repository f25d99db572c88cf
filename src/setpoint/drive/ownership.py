"""Which shards are ours. The database is the referee: it gives, keeps and takes them by its own clock."""

from collections.abc import Callable
from math import ceil, inf
from typing import Final

from msgspec import Struct, field

from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Service, Shard
from setpoint.engine.store import Expect, Lease, Store
from setpoint.engine.tenure import SHARDS, shard_key

LEASE_SECONDS: Final = 30.0
RENEWALS: Final = 6
"""How often a lease is renewed before it would run out: a few may fail."""
FOREVER: Final = 1e15
CLOCK_SECONDS: Final = 5.0
"""How far our clock may be from the database's: what others wrote down is judged by it."""


class Ownership(Struct):
    """What one process owns of its service's work.

    Our own clock only says until when a lease is surely ours: it is counted from before we asked.
    """

    store: Store
    service: Service
    owner: str
    monotonic: Callable[[], float]
    alone: bool = False
    """The store lets no second process in: everything is ours, from the start and for ever."""
    seconds: float = LEASE_SECONDS
    now: Callable[[], float] | None = None
    """Our time of day, where others read what we write down."""
    _apart: float = 0.0
    _held: dict[str, int] = field(default_factory=dict)
    _leaving: frozenset[str] = frozenset()
    _busy: dict[str, float] = field(default_factory=dict)  # Until when something that began may be under way.
    _until: float = -inf
    _renew_at: float = -inf

    def holds(self, home: str) -> bool:
        key = shard_key(self.service, home)
        return key in self._held and key not in self._leaving and self._left() > 0

    def fence(self, home: str, seconds: float = 0.0) -> Expect:
        key, left = shard_key(self.service, home), self._left()
        epoch = self._held.get(key)
        if epoch is None:
            raise Conflict(f"shard {key} belongs to another {self.service} now")
        if left <= seconds:
            raise Conflict(
                f"shard {key} is ours for {max(0.0, left):.0f} s more, and this needs {seconds:.0f}"
            )
        if seconds and key in self._leaving:
            raise Conflict(f"shard {key} is about to be given back")
        self._busy[key] = max(self._busy.get(key, -inf), self.monotonic() + seconds)
        if abs(self._apart) > CLOCK_SECONDS:
            raise Conflict(f"our clock is {self._apart:+.0f} s from the database's; set it, then start again")
        return Expect(Shard, key, "epoch", epoch)

    async def keep(self) -> bool:
        """Renews when it is time; whether anything is ours now that was not.

        What is more than our share is only left alone at first: nothing begins there, and it is given back at
        a renewal by which all that was under way has ended.
        """
        began = self.monotonic()
        if began < self._renew_at:
            return False
        back = tuple(key for key in sorted(self._leaving) if self._busy.get(key, -inf) <= began)
        got = await self.store.lease(self._lease(SHARDS if self.alone else 0, back))
        share = SHARDS if self.alone else ceil(SHARDS / got.replicas)
        if len(got.mine) < share:
            got = await self.store.lease(self._lease(share - len(got.mine)))
        if self.now is not None:
            # The answer took a while: as long as that, nobody can say which of the two is right.
            late = self.now() - got.clock
            self._apart = min(late, 0.0) or max(0.0, late - (self.monotonic() - began))
        before, self._held = self._held, {shard.key: shard.epoch for shard in got.mine}
        self._leaving = frozenset(sorted(self._held)[share:])
        self._until = began + self._seconds
        self._renew_at = inf if self.alone else began + self.seconds / RENEWALS
        return any(before.get(key) != epoch for key, epoch in self._held.items())

    def doubt(self) -> None:
        """What says that the work is ours cannot be read: it is asked for again, and so written anew."""
        self._renew_at = -inf

    @property
    def first(self) -> str:
        """The first of our shards, which nobody else has: it tells us from other replicas. Empty: none."""
        return min(self._held, default="") if self._left() > 0 else ""

    @property
    def renews_in(self) -> float:
        """Seconds until it is time to ask again."""
        return max(0.0, self._renew_at - self.monotonic())

    async def give_back(self) -> None:
        """At the end: whoever is left need not wait until our lease runs out."""
        back, self._held, self._renew_at = tuple(self._held), {}, inf
        await self.store.lease(Lease(self.service, self.owner, 0.0, back=back))

    @property
    def _seconds(self) -> float:
        return FOREVER if self.alone else self.seconds

    def _left(self) -> float:
        return self._until - self.monotonic()

    def _lease(self, more: int, back: tuple[str, ...] = ()) -> Lease:
        return Lease(self.service, self.owner, self._seconds, more, back, self.alone)
