"""The only real clock, randomness and ids. Everything else is handed these."""

import random
import secrets
import time
from collections.abc import Iterator

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


_TICKING = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # Only Linux counts on while it sleeps.


def monotonic() -> float:
    """Seconds on a clock that never goes back; only differences mean anything."""
    return time.clock_gettime(_TICKING)


_BEGAN = time.time() - monotonic()


def now() -> float:
    """Seconds since the epoch, by the clock as it was when this process began.

    A clock that is set an hour forward makes nothing overdue, and set back it makes nothing wait for an hour.
    """
    return _BEGAN + monotonic()


def new_id() -> str:
    """Sortable by the order it was made in, also within one millisecond; unguessable in its second half."""
    return _digits(next(_ticks), 11) + _digits(secrets.randbits(45), 9)


def new_secret() -> str:
    """256 bits, fit for a header or a URL."""
    return secrets.token_urlsafe(32)


def new_bytes(length: int) -> bytes:
    """So many bytes that nobody can guess."""
    return secrets.token_bytes(length)


def new_random() -> random.Random:
    """Randomness for jitter, never for secrets."""
    return random.Random()  # noqa: S311 - jitter only


def _rising() -> Iterator[int]:
    """Milliseconds with ten bits below them, never the same twice and never falling in one process."""
    last = 0
    while True:
        last = max(last + 1, int(now() * 1000) << 10)
        yield last


_ticks = _rising()


def _digits(number: int, width: int) -> str:
    text = ""
    for _ in range(width):
        number, digit = divmod(number, 32)
        text = _ALPHABET[digit] + text
    return text
