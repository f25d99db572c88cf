"""Fleet budgets: deletes across domains, taken whole when a plan is accepted, given back when unused."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.case import Room
from setpoint.engine.company import accounts_of
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.engine.kind import Kinds
from setpoint.engine.ledger import Budget, Taken
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.store import Change, Expect, Put, Store

ATTEMPTS: Final = 8


class Purse(Struct, frozen=True):
    """One budget that a domain spends from."""

    key: str
    name: str
    limit: int
    of: str = ""  # The name of the limit.

    def under(self, all_of: Iterable[Limits]) -> "Purse":
        """The same purse under the strictest of these."""
        return replace(self, limit=min(getattr(limits, self.of) for limits in all_of))


class Fleet(Struct, frozen=True):
    """Reads and takes; what two passes want at once is given to one of them."""

    store: Store
    kinds: Kinds

    async def purses(self, declared: Declared, limits: Limits) -> tuple[Purse, ...]:
        purses = [Purse("installation", "the installation", limits.fleet_installation, "fleet_installation")]
        if tenant := declared.tenant:
            purses.append(
                Purse(f"tenant:{tenant}", f"organization {tenant}", limits.fleet_tenant, "fleet_tenant")
            )
        for ref in accounts_of(self.kinds, declared):
            account = await self.store.get(Declared, ref)
            name = f"{account.kind} {account.name}" if account else ref
            purses.append(Purse(f"account:{ref}", name, limits.fleet_account, "fleet_account"))
        return tuple(purses)

    async def rooms(self, purses: tuple[Purse, ...], now: float) -> tuple[Room, ...]:
        budgets = await self._budgets(purses)
        return tuple(Room(p.name, p.limit, p.limit - _spent(budgets[p.key], now), p.of) for p in purses)

    async def take(self, purses: tuple[Purse, ...], taken: Taken) -> bool:
        """All of it from every purse in one commit, or nothing because one of them is short."""
        for _ in range(ATTEMPTS):
            budgets = await self._budgets(purses)
            if any(taken.count > p.limit - _spent(budgets[p.key], taken.at) for p in purses):
                return False
            if await self._written(budgets, {key: _with(b, taken) for key, b in budgets.items()}):
                return True
        return False

    async def give_back(self, purses: tuple[Purse, ...], taken: Taken, used: int) -> None:
        """What was taken and not used. Whoever dies before this has spent it for an hour: the safe side."""
        for _ in range(ATTEMPTS):
            budgets = await self._budgets(purses)
            left = {
                key: replace(b, taken=tuple(_used(each, taken, used) for each in b.taken))
                for key, b in budgets.items()
            }
            if await self._written(budgets, left):
                return

    async def _budgets(self, purses: tuple[Purse, ...]) -> dict[str, Budget]:
        return {p.key: await self.store.get(Budget, p.key) or Budget(key=p.key) for p in purses}

    async def _written(self, before: Mapping[str, Budget], after: Mapping[str, Budget]) -> bool:
        expects = tuple(
            Expect(Budget, key, "version", b.version) if b.version else Expect(Budget, key)
            for key, b in before.items()
        )
        writes = tuple(Put(replace(b, version=b.version + 1)) for b in after.values())
        try:
            await self.store.commit(Change(expects=expects, writes=writes))
        except Conflict:
            return False
        return True


def _spent(budget: Budget, now: float) -> int:
    return sum(each.count for each in budget.taken if each.at > now - HOUR)


def _with(budget: Budget, taken: Taken) -> Budget:
    kept = tuple(each for each in budget.taken if each.at > taken.at - HOUR and each.count)
    return replace(budget, taken=(*kept, taken))


def _used(each: Taken, taken: Taken, used: int) -> Taken:
    return replace(each, count=used) if each == taken else each
