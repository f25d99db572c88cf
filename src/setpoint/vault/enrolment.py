"""Whether a token was given to a server by us. Whoever checks it cannot make one."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from setpoint.access.credential import enrolled
from setpoint.engine.secret import ENROLMENTS
from setpoint.engine.store import KEYS_OF, Store
from setpoint.vault.sealing import about_enrolment


async def genuine(store: Store, token: str) -> bool:
    """Whether the pair of this installation signed it; nothing else about it is kept."""
    keys = await store.read(KEYS_OF, home=ENROLMENTS)
    return any(is_signed(key.public, token) for key in keys)


def is_signed(public: bytes, token: str) -> bool:
    host, act, signature = enrolled(token)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(
            bytes.fromhex(signature), about_enrolment(host, act)
        )
    except (InvalidSignature, ValueError):
        return False
    return True
