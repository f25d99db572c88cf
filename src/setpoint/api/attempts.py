"""How often somebody may be wrong: after a few tries a growing delay, counted where all replicas see it."""

import hashlib
import ipaddress
import math
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from setpoint.api.edit import ATTEMPTS
from setpoint.api.problem import Refused
from setpoint.engine.account import Strikes
from setpoint.engine.errors import Conflict
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import STRIKES_BEFORE, Change, Drop, Expect, Put, Store

OF_ONE_PERSON: Final = 5
"""From one place."""
OF_ONE_PERSON_ANYWHERE: Final = 100
OF_ONE_ADDRESS: Final = 20
OF_ONE_NETWORK: Final = 100
LONGEST_WAIT: Final = 900.0
FORGOTTEN_AFTER: Final = 3600.0
SWEPT_AT_ONCE: Final = 10
WIDEST: Final = 30


class Attempts(Struct, frozen=True):
    """A try is counted before it is judged: of many at once no more get through than one by one."""

    store: Store
    runtime: Runtime

    async def take(self, allowed: Mapping[str, int]) -> None:
        """Count one try at each of these keys, of which so many go without a wait; 429 where one is due."""
        for _ in range(ATTEMPTS):
            now = self.runtime.now()
            known = {key: await self.store.get(Strikes, key) for key in allowed}
            wait = max((row.until - now for row in known.values() if row is not None), default=0.0)
            if wait > 0:
                raise too_many(wait)
            try:
                await self.store.commit(await self._counted(allowed, known, now))
            except Conflict:
                continue
            return
        raise too_many(1.0)

    async def _counted(
        self, allowed: Mapping[str, int], known: Mapping[str, Strikes | None], now: float
    ) -> Change:
        old = await self.store.read(STRIKES_BEFORE, before=now - FORGOTTEN_AFTER, limit=SWEPT_AT_ONCE)
        rows = tuple(_next(key, row, allowed[key], now) for key, row in known.items())
        expects = tuple(
            Expect(Strikes, key, "count", row.count) if row is not None else Expect(Strikes, key)
            for key, row in known.items()
        )
        swept = tuple(Drop(Strikes, row.key) for row in old if row.key not in known)
        return Change(expects=expects, writes=(*swept, *map(Put, rows)))


def too_many(wait: float) -> Refused:
    seconds = math.ceil(wait)
    detail = f"too many tries; the next one is taken in {seconds} s"
    return Refused(429, "too_many_tries", detail, hint="wait, then try once more", retry_after=seconds)


def of_person(email: str, what: str = "sign-in") -> str:
    """Of one address of a person, whether there is an account or not."""
    return f"{what}:person:{hashlib.sha256(email.encode()).hexdigest()[:32]}"


class Try(Struct, frozen=True):
    """One try at one person's account, and how many go without a wait: from there, and from anywhere."""

    email: str
    address: str
    what: str = "sign-in"
    here: int = OF_ONE_PERSON
    anywhere: int = OF_ONE_PERSON_ANYWHERE

    @property
    def beside(self) -> str:
        """Of this person from this place."""
        place = next(iter(of_place(self.address, self.what)))
        person = of_person(self.email, self.what).rpartition(":")[2]
        return f"{self.what}:beside:{person}:{place.rpartition('address:')[2]}"


async def limits_of(store: Store, now: float, made: Try) -> dict[str, int]:
    """What one try counts at: the person from this place, and the person from anywhere.

    The place itself counts from the second try at one person on. Behind one address there may be many, as
    behind a proxy: whoever is wrong there keeps nobody out who is right at once.
    """
    known = await store.get(Strikes, made.beside)
    again = known is not None and now - known.at < FORGOTTEN_AFTER
    place = of_place(made.address, made.what) if again else {}
    return {made.beside: made.here, of_person(made.email, made.what): made.anywhere, **place}


def of_place(address: str, what: str = "sign-in") -> dict[str, int]:
    """Of one machine and those beside it (/24); whoever has an IPv6 network (/64) has all its addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return {f"{what}:address:unknown": OF_ONE_ADDRESS}
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if isinstance(parsed, ipaddress.IPv6Address):
        return {f"{what}:address:{ipaddress.ip_network((parsed, 64), strict=False)}": OF_ONE_ADDRESS}
    beside = ipaddress.ip_network((parsed, 24), strict=False)
    return {f"{what}:address:{parsed}": OF_ONE_ADDRESS, f"{what}:network:{beside}": OF_ONE_NETWORK}


def _next(key: str, known: Strikes | None, allowed: int, now: float) -> Strikes:
    before = known.count if known is not None and now - known.at < FORGOTTEN_AFTER else 0
    count = before + 1
    wait = 0.0 if count < allowed else min(LONGEST_WAIT, 2.0 ** min(count - allowed, WIDEST))
    return Strikes(key=key, count=count, at=now, until=now + wait)
