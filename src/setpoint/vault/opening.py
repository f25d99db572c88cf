"""Opening what was sealed. The API may not import this."""

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from setpoint.engine.errors import Denied
from setpoint.vault.sealing import FORMAT, NONCE, POINT, agreed

SHORTEST: Final = len(FORMAT) + POINT + NONCE + 16


def opened(private: bytes, box: bytes, about: bytes) -> bytes:
    """What was sealed, if nothing of it was changed or moved."""
    if len(box) < SHORTEST or not box.startswith(FORMAT):
        raise Denied("this is no sealed secret")
    point, nonce = box[1 : 1 + POINT], box[1 + POINT : 1 + POINT + NONCE]
    own = X25519PrivateKey.from_private_bytes(private)
    try:
        shared = own.exchange(X25519PublicKey.from_public_bytes(point))
        key = agreed(shared, point, own.public_key().public_bytes_raw())
        return AESGCM(key).decrypt(nonce, box[1 + POINT + NONCE :], FORMAT + about)
    except (InvalidTag, ValueError) as error:
        # Not chained: what the library saw on the way is nobody's business.
        raise Denied("it does not open: it was changed, moved, or sealed for somebody else") from (
            None if isinstance(error, ValueError) else error
        )
