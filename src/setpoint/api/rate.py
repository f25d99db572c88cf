"""Rate limits: buckets of requests, one for each credential and one for each organization, in this process.

Several replicas have buckets of their own each: together they let through as many times more.
"""

from collections.abc import Callable, Iterator
from math import ceil
from typing import Final

from msgspec import Struct, field

from setpoint.api.problem import Refused
from setpoint.engine.token import Token
from setpoint.settings import Settings

WINDOW: Final = 10
"""Seconds: a bucket that is full lets so many seconds' worth through at once."""
MOST: Final = 20_000
"""Buckets that are kept; the one that was used longest ago is forgotten first, and was full by then."""


class Policy(Struct, frozen=True):
    """So many requests a second, on the average."""

    name: str
    rate: float

    @property
    def burst(self) -> float:
        return max(1.0, self.rate * WINDOW)


class Level(Struct, frozen=True):
    """What is left in a bucket, at which time."""

    left: float
    at: float

    def now(self, policy: Policy, now: float) -> float:
        return min(policy.burst, self.left + max(0.0, now - self.at) * policy.rate)


class Taken(Struct, frozen=True):
    """What the answer says about it, whatever it is."""

    headers: dict[str, str]
    refused: Refused | None = None


class Rates(Struct):
    """Asked once for every request that came with a credential."""

    settings: Settings
    monotonic: Callable[[], float]
    _levels: dict[tuple[str, str], Level] = field(default_factory=dict)

    def take(self, token: Token) -> Taken:
        """What is left now, and the refusal where nothing was."""
        now = self.monotonic()
        headers: dict[str, str] = {}
        for policy, key in self._policies(token):
            left = self._levels.pop((policy.name, key), Level(policy.burst, now)).now(policy, now)
            self._levels[policy.name, key] = Level(left - 1 if left >= 1 else left, now)
            if not headers or left < 1:  # Those of the credential, unless the organization has no more.
                headers = _headers(policy, left)
            if left < 1:
                return Taken(headers, _refused(policy, left))
        while len(self._levels) > MOST:
            del self._levels[next(iter(self._levels))]
        return Taken(headers)

    def _policies(self, token: Token) -> Iterator[tuple[Policy, str]]:
        """By the credential's organization, not the address's: nobody uses up what is another's."""
        if self.settings.credential_rate:
            yield Policy("credential", self.settings.credential_rate), token.hash
        if self.settings.organization_rate and token.organization:
            yield Policy("organization", self.settings.organization_rate), token.organization


def _headers(policy: Policy, left: float) -> dict[str, str]:
    after = max(0, int(left) - 1)
    full = ceil((policy.burst - after) / policy.rate)
    return {
        "RateLimit-Policy": f'"{policy.name}";q={int(policy.burst)};w={WINDOW}',
        "RateLimit": f'"{policy.name}";r={after};t={full}',
    }


def _refused(policy: Policy, left: float) -> Refused:
    wait = max(1, ceil((1 - left) / policy.rate))
    detail = f"this {policy.name} makes more than {policy.rate:g} requests a second"
    hint = f"wait {wait} s, and send less at once"
    return Refused(429, "rate_limited", detail, hint=hint, retry_after=wait)
