"""What signing in needs of the outside: hashing that is slow on purpose, a seal, a way to write to people."""

from typing import Protocol

import msgspec


class Passwords(Protocol):
    """Hashes of passwords. Each call is slow on purpose, and never on the event loop."""

    async def hashed(self, password: str) -> str: ...

    async def matches(self, password: str, known: str) -> bool:
        """As slow without a known hash (empty) as with one: the time tells nobody who has an account."""
        ...

    def outdated(self, known: str) -> bool:
        """Whether it was made with less effort than is asked for today."""
        ...


class Seal(Protocol):
    """Closes a value with a key that is not in the database, for one place there and no other."""

    def closed(self, value: str, place: str) -> str: ...

    def opened(self, sealed: str, place: str) -> str | None:
        """The value; None where it was sealed with another key or for another place."""
        ...


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What is written to a person; the link in it opens something once."""

    to: str
    subject: str
    text: str
    link: str = ""


class Mail(Protocol):
    """Brings messages to people."""

    async def send(self, message: Message) -> None: ...
