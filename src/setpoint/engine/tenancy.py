"""Who accepted a membership, and how an organization stands with whoever runs the installation."""

from typing import Literal

import msgspec

from setpoint.engine.entity import Ref

Verification = Literal["in_setup", "verified", "pending", "blocked", "waitlist"]
Resource = Literal["active", "inactive", "deleted"]


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """A person's yes to a membership, under the address it was for; another address makes it void."""

    ref: Ref
    account: str
    email: str
    at: float


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Set by whoever runs the installation; an organization without one is verified and active."""

    organization: str
    verification: Verification = "verified"
    state: Resource = "active"
    reason: str = ""
    by: str = ""
    at: float = 0.0

    @property
    def good(self) -> bool:
        """Whether intent may be declared in it."""
        return self.verification == "verified" and self.state == "active"

    @property
    def words(self) -> str:
        said = [self.verification.replace("_", " "), self.state]
        return f"{' and '.join(said)}: {self.reason}" if self.reason else " and ".join(said)
