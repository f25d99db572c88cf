"""Rate limits: buckets of requests, one for each credential and one for each organization, in this process.

Several replicas have buckets of their own each: together they let through as many times more.
"""

from collections.abc import Callable
from math import ceil
from typing import Final

from msgspec import Struct

from setpoint.api.headers import Raw
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
    burst: float
    """How much a bucket holds."""
    said: bytes
    """As the answer says it."""


def policy(name: str, rate: float) -> Policy:
    burst = max(1.0, rate * WINDOW)
    return Policy(name, rate, burst, f'"{name}";q={int(burst)};w={WINDOW}'.encode())


class Taken(Struct, frozen=True):
    """What the answer says about it, whatever it is."""

    headers: Raw
    refused: Refused | None = None


class Rates:
    """Asked once for every request that came with a credential."""

    def __init__(self, settings: Settings, monotonic: Callable[[], float]) -> None:
        self._credential = policy("credential", settings.credential_rate)
        self._organization = policy("organization", settings.organization_rate)
        self._monotonic = monotonic
        self._levels: dict[tuple[str, str], tuple[float, float]] = {}
        """What was left in a bucket, at which time."""

    def take(self, token: Token) -> Taken:
        """What is left now, and the refusal where nothing was."""
        headers: Raw = []
        # By the credential's organization, not the address's: nobody uses up what is another's.
        for policy, key in ((self._credential, token.hash), (self._organization, token.organization)):
            if not policy.rate or not key:
                continue
            left = self._left(policy, key)
            if not headers or left < 1:  # Those of the credential, unless the organization has no more.
                headers = _headers(policy, left)
            if left < 1:
                return Taken(headers, _refused(policy, left))
        while len(self._levels) > MOST:
            del self._levels[next(iter(self._levels))]
        return Taken(headers)

    def _left(self, policy: Policy, key: str) -> float:
        """Before this request, which is taken from it."""
        now, bucket = self._monotonic(), (policy.name, key)
        had, at = self._levels.pop(bucket, (policy.burst, now))
        left = min(policy.burst, had + max(0.0, now - at) * policy.rate)
        self._levels[bucket] = (left - 1 if left >= 1 else left, now)
        return left


def _headers(policy: Policy, left: float) -> Raw:
    after = max(0, int(left) - 1)
    full = ceil((policy.burst - after) / policy.rate)
    return [
        (b"ratelimit-policy", policy.said),
        (b"ratelimit", b'"%b";r=%d;t=%d' % (policy.name.encode(), after, full)),
    ]


def _refused(policy: Policy, left: float) -> Refused:
    wait = max(1, ceil((1 - left) / policy.rate))
    detail = f"this {policy.name} makes more than {policy.rate:g} requests a second"
    hint = f"wait {wait} s, and send less at once"
    return Refused(429, "rate_limited", detail, hint=hint, retry_after=wait)
