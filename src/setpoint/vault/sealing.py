"""Sealing: a value for one organization, with the public half of its key. Whoever seals cannot open."""

import hashlib
import hmac
from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from setpoint.engine.entity import Ref, canonical
from setpoint.system import new_bytes

FORMAT: Final = b"\x01"
POINT: Final = 32
NONCE: Final = 12
SHOWN: Final = 12
"""How much of a digest people see."""


def seal(public: bytes, value: bytes, about: bytes) -> bytes:
    """Format, a point of its own, nonce and ciphertext; it opens only together with what it is about."""
    alone = X25519PrivateKey.generate()
    point = alone.public_key().public_bytes_raw()
    key = agreed(alone.exchange(X25519PublicKey.from_public_bytes(public)), point, public)
    nonce = new_bytes(NONCE)
    return FORMAT + point + nonce + AESGCM(key).encrypt(nonce, value, FORMAT + about)


def agreed(shared: bytes, point: bytes, public: bytes) -> bytes:
    """The key of one box, from what both sides can work out."""
    return HKDF(algorithm=SHA256(), length=32, salt=point + public, info=b"setpoint secret").derive(shared)


def about_secret(home: Ref, name: str, version: int, key: int) -> bytes:
    """What a box is bound to: in another row, tenant, version or under another key it does not open."""
    return canonical(["secret", home, name, version, key])


def about_key(home: Ref, version: int, public: bytes) -> bytes:
    """What a wrapped private half is bound to."""
    return canonical(["organization_key", home, version, public.hex()])


def about_enrolment(host: Ref, act: str) -> bytes:
    """What is signed for a server: that this act made it for this host."""
    return canonical(["enrolment", host, act])


def digest(key: str, home: Ref, value: str) -> str:
    """Tells two values apart; without the key it says nothing, and in another organization it is another."""
    said = canonical([home, value])
    return hmac.new(f"secret digest {key}".encode(), said, hashlib.sha256).hexdigest()
