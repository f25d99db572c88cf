"""What carries our mark, is declared nowhere, and was made by an act that our journal does not hold.

It is newer than our database: listed among the facts, so that a person can adopt it, and never deleted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from setpoint.capabilities.mark import made_by
from setpoint.capabilities.world import World
from setpoint.engine.case import named
from setpoint.engine.entity import AnyJson, Ref
from setpoint.engine.kind import UNKNOWN_FACT

LISTED: Final = 500


class Orphan(msgspec.Struct, frozen=True, kw_only=True):
    """Enough to declare it; or only to look at it, without a spec, where it has not the name that we give."""

    kind: str
    name: str
    spec: dict[str, AnyJson] | None
    act: str
    item: str
    """What its loop calls it, for the journal."""
    ref: Ref | None = None  # The entity that its mark names, where that is not the one that lists it.
    project: str = ""
    workspace: str = ""


async def lost(world: World, labels: Iterable[Mapping[str, str]]) -> frozenset[str]:
    """The acts that these marks name and our journal does not hold."""
    named_acts = [act for each in labels if (act := made_by(each))]
    return frozenset(named_acts) - await world.journal(named_acts) if named_acts else frozenset()


def sentence(orphans: Sequence[Orphan], noun: str, about: str) -> str:
    """Which they are, and what to do."""
    one = len(orphans) == 1
    who = f"1 {noun} carries our mark and is" if one else f"{len(orphans)} {noun}s carry our mark and are"
    names = named(orphan.name for orphan in orphans)
    return f"{who} not declared here: {names}; adopt {'it' if one else 'them'}: setpoint adopt {about}"


def listed(orphans: Sequence[Orphan]) -> dict[str, AnyJson]:
    """As a fact; nothing where there are none."""
    return {UNKNOWN_FACT: msgspec.to_builtins(orphans[:LISTED])} if orphans else {}


def orphans_in(facts: Mapping[str, AnyJson]) -> tuple[Orphan, ...]:
    """Those that a status lists."""
    return msgspec.convert(facts.get(UNKNOWN_FACT, ()), tuple[Orphan, ...])
