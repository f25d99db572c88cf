"""Signed deliveries: id, time and body under one HMAC, so that a receiver can check all three."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from setpoint.capabilities.webhook import Message
from setpoint.engine.errors import Rejected, Transient
from setpoint.providers.wire import Asked, Lost, SocketWire, Unreachable, Wire

SECONDS: Final = 10.0
PREFIX: Final = "whsec_"


class Webhooks(Struct):
    """Delivers at least once; the id lets the receiver notice the second time."""

    now: Callable[[], float]
    wire: Wire = field(default_factory=SocketWire)

    async def send(self, message: Message) -> None:
        moment = str(int(self.now()))
        headers = {
            "Content-Type": message.media_type,
            "webhook-id": message.id,
            "webhook-timestamp": moment,
            "webhook-signature": signature(message, moment),
        }
        asked = Asked("POST", message.url, headers, message.body, seconds=SECONDS, at_most=0)
        try:
            status = (await self.wire.ask(asked)).status
        except (Unreachable, Lost, TimeoutError) as error:
            raise Transient(f"{message.url} did not answer: {str(error) or type(error).__name__}") from error
        if status >= 500 or status in (408, 409, 425, 429):  # noqa: PLR2004
            raise Transient(f"{message.url} answered {status}")
        if not 200 <= status < 300:  # noqa: PLR2004
            raise Rejected(f"{message.url} refused the message with {status}")

    async def close(self) -> None:
        await self.wire.close()


def signature(message: Message, moment: str) -> str:
    """`v1,` and the base64 of HMAC-SHA-256 over id, time and body; one for each secret that is good."""
    signed = f"{message.id}.{moment}.".encode() + message.body
    digests = (
        hmac.new(key_of(secret), signed, hashlib.sha256).digest()
        for secret in (message.secret, message.before)
        if secret
    )
    return " ".join("v1," + base64.b64encode(digest).decode() for digest in digests)


def key_of(secret: str) -> bytes:
    """`whsec_` and base64, as Standard Webhooks hands secrets out; anything else is taken as it is."""
    if not secret.startswith(PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise Rejected("the secret of a webhook begins with whsec_, and base64 does not follow") from error
