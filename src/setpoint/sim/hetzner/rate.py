"""The rate limit: a bucket of requests that fills again as time passes."""

import msgspec

_HOUR = 3600.0


class Bucket(msgspec.Struct, frozen=True):
    """How many requests are left, and since when that is known."""

    left: float
    at: float


def full(limit: int, now: float) -> Bucket:
    return Bucket(float(limit), now)


def taken(bucket: Bucket, limit: int, now: float) -> tuple[Bucket, bool]:
    """The bucket after one more request, and whether that request may pass."""
    filled = min(float(limit), bucket.left + max(0.0, now - bucket.at) * limit / _HOUR)
    if filled < 1:
        return Bucket(filled, now), False
    return Bucket(filled - 1, now), True


def headers(bucket: Bucket, limit: int) -> dict[str, str]:
    """What every reply says about the limit; the reset is when the bucket is full again."""
    full_at = bucket.at + (limit - bucket.left) * _HOUR / limit
    return {
        "RateLimit-Limit": str(limit),
        "RateLimit-Remaining": str(int(bucket.left)),
        "RateLimit-Reset": str(int(full_at) + 1),
    }
