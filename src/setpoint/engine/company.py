"""How an account fares with everything that uses it: one item's trouble is told from the account's own."""

from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from setpoint.engine.case import Tried
from setpoint.engine.entity import Declared, Ref, kind_of
from setpoint.engine.kind import Kinds

KEPT: Final = 100  # More keys than the failure brake looks at, of each account.


class Company(Struct):
    """In memory: after a restart the next successes and failures tell it anew."""

    _well: dict[tuple[str, bool], tuple[tuple[str, float], ...]] = field(default_factory=dict)
    """(account, whether it acted) -> the last two different keys that did well, newest first."""
    _failing: dict[str, set[str]] = field(default_factory=dict)  # Keys that failed since anything did well.
    _failed_at: dict[str, float] = field(default_factory=dict)
    _recovered: dict[str, float] = field(default_factory=dict)
    _tried: dict[str, dict[str, tuple[Tried, ...]]] = field(default_factory=dict)

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

    def note_tries(self, account: str, domain: str, tries: tuple[Tried, ...]) -> None:
        """The keys of one domain that were tried lately, in place of those it had before."""
        known = self._tried.setdefault(account, {})
        if tries:
            known[domain] = tuple(replace(each, key=f"{domain}|{each.key}") for each in tries)
        else:
            known.pop(domain, None)

    def tried(self, account: str, domain: str) -> tuple[Tried, ...]:
        """The keys of the account's other domains, the latest last."""
        others = (tries for other, tries in self._tried.get(account, {}).items() if other != domain)
        return tuple(sorted((each for tries in others for each in tries), key=lambda each: each.at)[-KEPT:])

    def elsewhere(self, account: str, key: str, *, acted: bool = False) -> float:
        """When something else of this account last did well; 0: not known to."""
        return next((at for other, at in self._well.get((account, acted), ()) if other != key), 0.0)

    def recovered(self, account: str) -> float:
        """When the account last came back from an outage; 0: not known to."""
        return self._recovered.get(account, 0.0)


def accounts_of(kinds: Kinds, declared: Declared) -> tuple[Ref, ...]:
    """The accounts this entity works through."""
    # A ref of no kind that there is names nothing: no row may end whoever sorts all of them.
    named = ((ref, kinds.get(kind_of(ref))) for ref in declared.refs)
    return tuple(ref for ref, kind in named if kind is not None and kind.mode is not None)


def account_of(kinds: Kinds, declared: Declared) -> str:
    """The account whose fortunes it shares; without one, its own."""
    return next(iter(accounts_of(kinds, declared)), declared.ref)
