"""Keys for every organization before anybody seals for it, and none for those that are gone."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from setpoint.engine.entity import Declared, Scope, slot
from setpoint.engine.errors import FAILURES, Conflict, Transient
from setpoint.engine.kind import Kinds
from setpoint.engine.rows import Audit
from setpoint.engine.secret import ENROLMENTS, Master, OrganizationKey
from setpoint.engine.store import ANYTHING, DECLARED_AT, KEYS_OF, ORGANIZATIONS, Change, Expect, Put, Store
from setpoint.vault.keyring import ROW, Keyring, every_key, forget
from setpoint.vault.master import new_pair
from setpoint.vault.placing import Placing
from setpoint.vault.rotation import Rotation

AT_ONCE: Final = 200
SWEEP_SECONDS: Final = 60.0
"""A hint may be lost; so often everything is looked at."""
SURE_SECONDS: Final = 1.0
"""So long an organization that had its key is taken to have it: its name may become another's."""
ACTOR: Final = "setpoint"


class Keeper(Struct):
    """Runs beside the worker, which holds the master key; the API cannot make a pair that it could open."""

    store: Store
    ring: Keyring
    now: Callable[[], float]
    kinds: Kinds
    told: Callable[[str, Mapping[str, object]], None] = lambda event, fields: None
    _heard: set[str] = field(default_factory=set)
    _sure: dict[str, float] = field(default_factory=dict)
    _hint: asyncio.Event = field(default_factory=asyncio.Event)
    _swept: float = float("-inf")
    _over: bool = False
    _said: str = ""

    async def run(self) -> None:
        stop = self.store.listen(self._hear)
        try:
            while not self._over:
                self._hint.clear()
                try:
                    await self.round()
                except FAILURES as error:
                    self._tell(str(error))
                await self._wait()
        finally:
            stop()

    def stop(self) -> None:
        self._over = True
        self._hint.set()

    async def round(self) -> None:
        """Those that something was heard of; now and then all of them."""
        heard, self._heard = self._heard, set()
        if ANYTHING in heard or self.now() >= self._swept + SWEEP_SECONDS:
            await self._sweep()
            self._swept = self.now()
            return
        fresh = [name for name in heard if self._sure.get(name, 0.0) < self.now()]
        self._heard |= heard.difference(fresh)  # Looked at a moment later: the name may be another's by then.
        for name in fresh:
            found = await self.store.read(DECLARED_AT, slot=slot("organization", Scope(), name))
            await self._provide(found)

    async def _sweep(self) -> None:
        homes, after = set(), ""
        await self.provide_enrolments()
        while page := await self.store.read(ORGANIZATIONS, after=after, limit=AT_ONCE):
            await self._provide(page)
            homes |= {row.ref for row in page}
            after = page[-1].ref
        async for key in every_key(self.store):
            # Asked again: one that was declared after the first pages is no orphan.
            if key.home not in (ENROLMENTS, *homes) and await self.store.get(Declared, key.home) is None:
                await forget(self.store, key)
        await Rotation(self.store, self.ring, self.now, ACTOR).unfinished()

    async def provide_enrolments(self) -> None:
        """The pair that tokens of servers are signed with, where there is none."""
        master = await self.store.get(Master, ROW)
        if master is None or await self.store.read(KEYS_OF, home=ENROLMENTS):
            return
        pair = new_pair(self.ring.master(master.id), ENROLMENTS, 1, self.now())
        await self._commit(self._made(pair, ""))

    async def _provide(self, organizations: Iterable[Declared]) -> None:
        for organization in organizations:
            try:
                await self._provide_one(organization)
            except Transient as error:  # Its own keys cannot be read: only its own secrets are out of reach.
                self._tell(str(error))
                continue
            self._sure[organization.name] = self.now() + SURE_SECONDS

    async def _provide_one(self, organization: Declared) -> None:
        known = await self.store.read(KEYS_OF, home=organization.ref)
        if not known or known[0].retired_at:
            await self._make(organization, known[0].version + 1 if known else 1)
        await Placing(self.store, self.kinds).of(organization)

    async def _make(self, organization: Declared, version: int) -> None:
        master = await self.store.get(Master, ROW)
        if master is None:
            return
        pair = new_pair(self.ring.master(master.id), organization.ref, version, self.now())
        await self._commit(self._made(pair, organization.tenant))

    def _made(self, pair: OrganizationKey, tenant: str) -> Change:
        proof = Audit(
            organization=tenant,
            actor=ACTOR,
            action="key.made",
            ref=pair.home,
            at=self.now(),
            detail={"version": pair.version, "master": pair.master},
        )
        expects = (Expect(OrganizationKey, pair.id), Expect(Master, ROW, "id", pair.master))
        return Change(expects=expects, writes=(Put(pair),), audit=(proof,))

    async def _commit(self, change: Change) -> None:
        try:
            await self.store.commit(change)
        except Conflict:
            return  # Another worker was first.

    def _tell(self, why: str) -> None:
        """Once for each reason: what is wrong stays so until somebody mends it."""
        if why != self._said:
            self.told("keys could not be made", {"why": why})
        self._said = why

    def _hear(self, moved: frozenset[str]) -> None:
        self._heard |= moved
        self._hint.set()

    async def _wait(self) -> None:
        try:
            await asyncio.wait_for(self._hint.wait(), SURE_SECONDS)
        except TimeoutError:
            return
        # Commits come in swarms; once for all of them is enough.
        await asyncio.sleep(0 if self._over else 0.05)
