"""Takes an account's own credential out of what its provider answers, before anybody else reads it."""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final
from urllib.parse import quote, quote_plus

from msgspec import Struct

HIDDEN: Final = "[credential]"
SHORTEST: Final = 6
"""What is shorter is no credential, and would be found in ordinary words."""


class Scrub(Struct, frozen=True):
    """Of one credential, in every spelling that it is likely to come back in."""

    pattern: re.Pattern[str] | None = None

    def text(self, said: str) -> str:
        return self.pattern.sub(HIDDEN, said) if self.pattern is not None else said

    def body(self, raw: bytes) -> bytes:
        """Of an answer; where it spells letters by their numbers, those are read first."""
        if self.pattern is None:
            return raw
        if b"\\u" in raw:
            with suppress(ValueError):  # It is no JSON: letters mean themselves.
                read = json.dumps(json.loads(raw), ensure_ascii=False)
                if self.pattern.search(read):
                    return self.text(read).encode(errors="replace")
        return self.text(raw.decode(errors="surrogateescape")).encode(errors="surrogateescape")


def scrub_of(secret: str) -> Scrub:
    """Nothing is taken out where there is hardly anything to be found."""
    if len(secret) < SHORTEST:
        return Scrub()
    spellings = sorted({*_spellings(secret)}, key=len, reverse=True)
    return Scrub(re.compile("|".join(re.escape(each) for each in spellings), re.IGNORECASE))


def _spellings(secret: str) -> Iterator[str]:
    raw = secret.encode()
    yield from (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), raw.hex())
    yield json.dumps(secret)[1:-1]
    for before in range(3):
        # Wherever it stands in what was encoded; the letters that it shares with its neighbours are left out.
        first, last = -(-before * 4 // 3), (before + len(raw)) * 4 // 3
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            middle = encode(bytes(before) + raw).decode()[first:last]
            if len(middle) >= SHORTEST:
                yield middle
