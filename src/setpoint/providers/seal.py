"""AES-256-GCM with a key from a file: without it, what the database holds of a second factor is of no use."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class AesSeal:
    """The place a value is for goes into the seal: moved to another row, it does not open."""

    secret: str = field(repr=False)
    new_secret: Callable[[], str]

    def closed(self, value: str, place: str) -> str:
        nonce = hashlib.sha256(self.new_secret().encode()).digest()[:NONCE_BYTES]
        sealed = nonce + self._cipher.encrypt(nonce, value.encode(), place.encode())
        return base64.b64encode(sealed).decode()

    def opened(self, sealed: str, place: str) -> str | None:
        try:
            raw = base64.b64decode(sealed, validate=True)
            return self._cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], place.encode()).decode()
        except (InvalidTag, ValueError):
            return None

    @property
    def _cipher(self) -> AESGCM:
        return AESGCM(hashlib.sha256(self.secret.encode()).digest())
