"""Credentials: of which sort, who holds one, what role it gives, how far that reaches and until when."""

from typing import Literal

import msgspec

from setpoint.engine.entity import Ref, Scope

Sort = Literal["session", "personal", "service", "workspace", "agent"]
"""Of a person who signed in, of their programs, of a program by itself, of a workspace, of a machine."""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A credential by its hash; the secret itself is never stored."""

    hash: str
    subject: str
    role: str
    sort: Sort = "service"
    account: str = ""
    """The id of the account it acts for; nobody's where it is empty."""
    id: str = ""  # What it is called where it is listed; those of agents have none.
    scope: Scope = Scope()
    """How far its role reaches; the whole installation where it is empty."""
    ref: Ref | None = None
    about: str = ""
    created_at: float = 0.0
    created_by: str = ""
    person: str = ""
    """The account at the root of who made it; a program's name where no person did."""
    may_approve: bool = False
    """Whether it says yes to held plans as well, where its role allows that: a person does, a program not."""
    expires_at: float = 0.0
    """When it runs out; 0: never."""
    idle_seconds: float = 0.0
    """How long it may rest unused; 0: for ever."""
    exchanged: str = ""  # The hash of what an agent gave for it.
    confirmed: bool = False  # Whether its holder has used it: only then is what it was exchanged for spent.
    seen_at: float = 0.0  # When it was last used, to the minute.
    proved_at: float = 0.0  # When its holder last proved to be the person, for what needs that anew.
    addresses: tuple[str, ...] = ()
    """Networks it may be used from; anywhere where none is named."""
    device: str = ""
    address: str = ""

    @property
    def organization(self) -> str:
        return self.scope.organization

    def holds_at(self, now: float) -> bool:
        if self.expires_at != 0.0 and now >= self.expires_at:
            return False
        return self.idle_seconds == 0.0 or now < self.seen_at + self.idle_seconds
