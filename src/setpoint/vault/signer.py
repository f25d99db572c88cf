"""Gives servers the token that their agents introduce themselves with. The API may not import this."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from setpoint.access.credential import enrolment
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Transient
from setpoint.engine.secret import ENROLMENTS
from setpoint.engine.store import KEYS_OF, Store
from setpoint.vault.keyring import Keyring
from setpoint.vault.sealing import about_enrolment

RETRY_SECONDS = 2.0


class Signer(Struct, frozen=True):
    """Signs, and keeps nothing: the same act gives the same token, whoever asks and however often."""

    store: Store
    ring: Keyring

    async def issue(self, host: Ref, act: str) -> str:
        """The one-time token of the server that this act makes for this host."""
        keys = await self.store.read(KEYS_OF, home=ENROLMENTS)
        if not keys:
            why = "no pair is there yet to sign enrolments with: the worker makes it"
            raise Transient(why, retry_after=RETRY_SECONDS)
        private = Ed25519PrivateKey.from_private_bytes(self.ring.private(keys[0]))
        return enrolment(host, act, private.sign(about_enrolment(host, act)).hex())
