"""The only real clock, randomness and ids. Everything else is handed these.

`secrets` and `random` load a dozen modules; the command line only wants the clock.
"""

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]


MOST_FILES = 65_536
"""More than this is not asked for."""
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
    tick, chance, of = next(_ticks), int.from_bytes(os.urandom(6), "big") >> 3, _PAIRS
    when = f"{of[tick >> 40 & 1023]}{of[tick >> 30 & 1023]}{of[tick >> 20 & 1023]}{of[tick >> 10 & 1023]}"
    what = f"{of[chance >> 30 & 1023]}{of[chance >> 20 & 1023]}{of[chance >> 10 & 1023]}{of[chance & 1023]}"
    return f"{_ALPHABET[tick >> 50 & 31]}{when}{of[tick & 1023]}{_ALPHABET[chance >> 40 & 31]}{what}"


def new_secret() -> str:
    """256 bits, fit for a header or a URL."""
    from base64 import urlsafe_b64encode  # noqa: PLC0415 - as above

    return urlsafe_b64encode(new_bytes(32)).rstrip(b"=").decode()


def new_bytes(length: int) -> bytes:
    """So many bytes that nobody can guess."""
    return os.urandom(length)


def most_files() -> int:
    """How many files this process may have open, raised as far as it may raise that itself."""
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit  # noqa: PLC0415 - as above

    soft, hard = getrlimit(RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != RLIM_INFINITY and soft < wanted:
        setrlimit(RLIMIT_NOFILE, (wanted, hard))
    return wanted if soft == RLIM_INFINITY else max(soft, wanted)


def new_random() -> "Random":
    """Randomness for jitter, never for secrets."""
    from random import Random  # noqa: PLC0415 - as above

    return Random()  # noqa: S311 - jitter only


def _rising() -> Iterator[int]:
    """Milliseconds with ten bits below them, never the same twice and never falling in one process."""
    last = 0
    while True:
        last = max(last + 1, int(now() * 1000) << 10)
        yield last


_ticks = _rising()
