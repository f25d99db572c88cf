"""Telling somebody else's server, signed so that it can be believed."""

from typing import Protocol

import msgspec


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One delivery; the id stays the same when it is tried again."""

    id: str
    url: str
    body: bytes
    secret: str
    before: str = ""  # The secret before it, while receivers may know either.
    media_type: str = "application/json"


class Webhook(Protocol):
    async def send(self, message: Message) -> None:
        """Returns when the receiver answered 2xx; Rejected when it never will."""
        ...
