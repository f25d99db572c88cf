"""External things that one entity alone may own in the installation, and the rows that say who does."""

import msgspec

from setpoint.engine.entity import Ref


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """One external thing that a spec claims, in its one spelling, such as `dns_zone/example.org`."""

    field: str  # Of the spec that names it.
    name: str
    around: tuple[str, ...] = ()
    """Things that this one would take a part of: those of another organization are not to be taken apart."""
    path: str = ""
    """Its place among those: a thing whose path begins with this one is a part of it. Empty: it has none."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One thing at one account: nobody else may declare it while this row is there."""

    key: str
    ref: Ref
    organization: str
    account: str = ""  # The name in the key.
    path: str = ""  # Of the thing: parts are found by it.
    since: float = 0.0  # When its entity was declared; of two that came at once, the later one gives way.


def key_of(thing: str, account: str) -> str:
    """Names a thing at an account, by one of the names that this account is known by."""
    return f"{thing}@{account}"


def end_of(path: str) -> str:
    """The first text, in order, that is beyond all that begins with this path."""
    return path[:-1] + chr(ord(path[-1]) + 1)


def thing_in(key: str) -> str:
    """The thing that a key names."""
    return key.partition("@")[0]
