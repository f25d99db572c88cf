"""Secrets as they are kept: sealed for one organization, which only a holder of the master key can open."""

from typing import Final

import msgspec

from setpoint.engine.entity import Ref

ENROLMENTS: Final = Ref("installation/enrolments")
"""Whose pair signs the tokens that servers are made with. It is no organization's, and seals nothing."""


class Master(msgspec.Struct, frozen=True, kw_only=True):
    """Which master key this installation lives under; never the key itself."""

    key: str = "master"
    id: str
    before: str = ""  # While it is changed: the one that some keys are still wrapped by.


class OrganizationKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key pair of one organization: anybody may seal with its public half, or check what was signed."""

    id: str
    home: Ref
    """The organization itself: another one of the same name has keys of its own."""
    version: int
    public: bytes
    wrapped: bytes
    """The private half, under the master key."""
    master: str
    made_at: float = 0.0
    retired_at: float = 0.0  # From then on nothing is sealed with it; it goes when nothing needs it.


class Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a secret."""

    version: int
    key: int
    """Version of the organization's key that it is sealed with."""
    box: bytes
    digest: str
    """Keyed: tells whether two versions are the same, and nothing about what they are."""
    at: float
    by: str
    hosts: tuple[str, ...] | None = None
    """Where this version may be used, see `access/hosts.py`. None: sealed before secrets had hosts."""


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """A secret of one organization, by name."""

    id: str
    home: Ref
    name: str
    now: Sealed
    before: Sealed | None = None  # Kept until every consumer was seen with `now`.
    revision: int = 1

    @property
    def versions(self) -> tuple[Sealed, ...]:
        return (self.now, self.before) if self.before else (self.now,)


class SecretUse(msgspec.Struct, frozen=True, kw_only=True):
    """Which version of a secret last worked for whom."""

    id: str
    home: Ref
    name: str
    ref: Ref
    version: int
    at: float


def key_id(home: Ref, version: int) -> str:
    return f"{home}/{version:06}"


def secret_id(home: Ref, name: str) -> str:
    return f"{home}/{name}"


def use_id(home: Ref, name: str, ref: Ref) -> str:
    return f"{home}/{name}|{ref}"
