"""The rate limit: a bucket of requests that fills again as time passes, and what replies say about it."""

import math
from email.utils import formatdate
from typing import Annotated

import msgspec
from msgspec import Meta

ROUNDING = 1e-3  # Of a call: what sums of fractions leave over is not worth a refusal.


class RateLimit(msgspec.Struct, frozen=True, kw_only=True):
    """So many requests at once, and an empty bucket is full again after so many seconds."""

    calls: Annotated[int, Meta(ge=1)]
    seconds: Annotated[float, Meta(gt=0.0)] = 3600.0


class Bucket(msgspec.Struct, frozen=True):
    """How many requests are left, and since when that is known."""

    left: float
    at: float


class Limiter:
    """The limit in force and what is left of it; setting a limit fills the bucket."""

    def __init__(self, limit: RateLimit, now: float) -> None:
        self.limit = limit
        self._bucket = full(limit, now)

    def set(self, limit: RateLimit, now: float) -> None:
        self.limit = limit
        self._bucket = full(limit, now)

    def take(self, now: float) -> tuple[bool, dict[str, str]]:
        """Whether one more request may pass, and what its reply says about the limit."""
        self._bucket, may_pass = taken(self._bucket, self.limit, now)
        return may_pass, headers(self._bucket, self.limit, may_pass=may_pass)


def full(limit: RateLimit, now: float) -> Bucket:
    return Bucket(float(limit.calls), now)


def taken(bucket: Bucket, limit: RateLimit, now: float) -> tuple[Bucket, bool]:
    """The bucket after one more request, and whether that request may pass."""
    flown_in = max(0.0, now - bucket.at) * limit.calls / limit.seconds
    filled = min(float(limit.calls), bucket.left + flown_in)
    if filled < 1 - ROUNDING:
        return Bucket(filled, now), False
    return Bucket(max(0.0, filled - 1), now), True


def headers(bucket: Bucket, limit: RateLimit, *, may_pass: bool) -> dict[str, str]:
    """The reset is when the bucket is full again, on the clock of `Date`."""
    per_call = limit.seconds / limit.calls
    full_at = bucket.at + (limit.calls - bucket.left) * per_call
    said = {
        "Date": formatdate(bucket.at, usegmt=True),
        "RateLimit-Limit": str(limit.calls),
        "RateLimit-Remaining": str(int(bucket.left)),
        "RateLimit-Reset": str(int(full_at) + 1),
    }
    return said if may_pass else said | {"Retry-After": whole_seconds((1 - bucket.left) * per_call)}


def whole_seconds(seconds: float) -> str:
    """As `Retry-After` has them: never too few, and never none."""
    return str(max(1, math.ceil(round(seconds, 6))))
