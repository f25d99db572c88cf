"""External things that one entity alone may own in the installation, and the rows that say who does."""

import msgspec

from setpoint.engine.entity import Ref


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """One external thing that a spec claims, in its one spelling, such as `dns_zone/example.org`."""

    field: str  # Of the spec that names it.
    name: str
    around: tuple[str, ...] = ()
    """Things that this one would take a part of: those of another organization are not to be taken apart."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One thing at one account: nobody else may declare it while this row is there."""

    key: str
    ref: Ref
    organization: str


def key_of(thing: str, account: str) -> str:
    """Names a thing at an account, by one of the names that this account is known by."""
    return f"{thing}@{account}"


def thing_in(key: str) -> str:
    """The thing that a key names."""
    return key.partition("@")[0]
