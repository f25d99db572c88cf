"""Credentials: who holds one, what role it gives, how far that reaches and until when."""

import msgspec

from setpoint.engine.entity import Ref, Scope


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A credential by its hash; the secret itself is never stored."""

    hash: str
    subject: str
    role: str
    id: str = ""  # What it is called where it is listed; those of agents have none.
    scope: Scope = Scope()
    """How far its role reaches; the whole installation where it is empty."""
    ref: Ref | None = None
    about: str = ""
    created_at: float = 0.0
    created_by: str = ""
    expires_at: float = 0.0
    """When it runs out; 0: never."""
    confirmed: bool = False  # Whether its holder has used it: only then is what it was exchanged for spent.

    @property
    def organization(self) -> str:
        return self.scope.organization

    def holds_at(self, now: float) -> bool:
        return self.expires_at == 0.0 or now < self.expires_at
