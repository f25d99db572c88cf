"""People: their accounts, what they prove themselves with, links that work once, and letters to them."""

from typing import Literal

import msgspec

Purpose = Literal["first", "invite", "recover"]
"""The first administrator of an installation, somebody invited, somebody who forgot."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One person; owns nothing, and may what its memberships allow."""

    id: str
    email: str
    """Normalised, and nobody else's; what evidence and lists call this person."""
    name: str = ""
    administrator: bool = False  # Of the installation: everything, in every organization.
    disabled: bool = False
    unproven: bool = False  # Made by a link that others saw; its mailbox has not answered for it yet.
    created_at: float = 0.0
    created_by: str = ""
    version: int = 0

    @property
    def slot(self) -> str:
        return self.email


class Factors(msgspec.Struct, frozen=True, kw_only=True):
    """What an account proves itself with: hashes and sealed values, readable by the API alone."""

    account: str
    password: str = ""
    short: bool = False  # Long enough only beside a second factor.
    totp: str = ""
    begun: str = ""  # A second factor that was shown, and whose first code has not come yet.
    counter: int = 0  # Of the last code that was taken: none works twice.
    recovery: tuple[str, ...] = ()
    version: int = 0


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A secret that opens one thing once, by its hash."""

    hash: str
    purpose: Purpose
    target: str = ""
    """What it is for: an account, or what an invitation is called; nothing for the first administrator."""
    email: str = ""
    vouched: bool = False  # Its mailbox alone saw it, or whoever runs the installation handed it on.
    created_at: float = 0.0
    created_by: str = ""
    expires_at: float

    @property
    def slot(self) -> str | None:
        """There is one link for the first administrator at a time."""
        return "first" if self.purpose == "first" else None

    def holds_at(self, now: float) -> bool:
        return now < self.expires_at


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """What was to be sent to somebody, for an operator to hand on."""

    id: str
    to: str
    subject: str
    text: str
    link: str = ""  # The hash of the link in it; without one, the letter is history.
    sealed: str = ""  # That link, closed with a key that is not in the database.
    created_at: float = 0.0


class Strikes(msgspec.Struct, frozen=True, kw_only=True):
    """How often somebody, or somewhere, was wrong in a row, and when last."""

    key: str
    count: int
    at: float
    until: float = 0.0
