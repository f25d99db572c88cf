"""How an account fares with everything that uses it: one item's trouble is told from the account's own."""

from msgspec import Struct, field

from setpoint.engine.entity import Declared, Ref, kind_of
from setpoint.engine.kind import Kinds


class Company(Struct):
    """In memory: after a restart the next successes and failures tell it anew."""

    _well: dict[tuple[str, bool], tuple[tuple[str, float], ...]] = field(default_factory=dict)
    """(account, whether it acted) -> the last two different keys that did well, newest first."""
    _failing: dict[str, set[str]] = field(default_factory=dict)  # Keys that failed since anything did well.
    _failed_at: dict[str, float] = field(default_factory=dict)
    _recovered: dict[str, float] = field(default_factory=dict)

    def did_well(self, account: str, key: str, now: float, *, acted: bool = False) -> None:
        """A look at something of this account went well, and so did its acts if there were any."""
        for sort in {False, acted}:
            others = tuple(each for each in self._well.get((account, sort), ()) if each[0] != key)
            self._well[account, sort] = ((key, now), *others[:1])
        failing = self._failing.pop(account, set())
        # One key that fails while the others do well is no outage of the account.
        if key in failing or len(failing) > 1:
            self._recovered[account] = now
        self._failed_at.pop(key, None)

    def failed(self, account: str, key: str, now: float, *, refused: bool = False) -> bool:
        """A look failed. Whether something else of the account did well since this key failed before."""
        before = self._failed_at.get(key, now)
        self._failed_at[key] = now
        if not refused:  # An account that refuses is there.
            self._failing.setdefault(account, set()).add(key)
        return self.elsewhere(account, key) > before

    def elsewhere(self, account: str, key: str, *, acted: bool = False) -> float:
        """When something else of this account last did well; 0: not known to."""
        return next((at for other, at in self._well.get((account, acted), ()) if other != key), 0.0)

    def recovered(self, account: str) -> float:
        """When the account last came back from an outage; 0: not known to."""
        return self._recovered.get(account, 0.0)


def accounts_of(kinds: Kinds, declared: Declared) -> tuple[Ref, ...]:
    """The accounts this entity works through."""
    return tuple(ref for ref in declared.refs if kinds[kind_of(ref)].mode is not None)


def account_of(kinds: Kinds, declared: Declared) -> str:
    """The account whose fortunes it shares; without one, its own."""
    return next(iter(accounts_of(kinds, declared)), declared.ref)
