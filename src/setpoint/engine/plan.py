"""What a loop wants done, as a value: it can be shown, judged and approved before anything happens."""

import hashlib
from collections.abc import Iterable, Mapping
from enum import Enum, StrEnum
from typing import Final, Literal

import msgspec

from setpoint.engine.entity import AnyJson, Condition, Ref, State, hash_of


class Absence(Enum):
    """What an observation says when it does not say a value."""

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT: Final = Absence.ABSENT
UNKNOWN: Final = Absence.UNKNOWN


class Verb(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    UNPARK = "unpark"
    PARK = "park"
    DELETE = "delete"


DESTRUCTIVE: Final = frozenset({Verb.REPLACE, Verb.PARK, Verb.DELETE})
SYMBOLS: Final[Mapping[Verb, str]] = {
    Verb.CREATE: "+",
    Verb.UPDATE: "~",
    Verb.REPLACE: "±",
    Verb.UNPARK: "~",
    Verb.PARK: "-",
    Verb.DELETE: "-",
}
# Deletes come last: nothing is taken away before what replaces it is there.
_ORDER: Final = tuple(Verb)


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one item. `explicit`: a person asked for this very deletion."""

    verb: Verb
    item: str
    before: AnyJson = None
    after: AnyJson = None
    explicit: bool = False
    protected: bool = False
    weight: int = 1  # How much goes with it: a zone weighs more than a record.
    until: float = 0.0  # Of a parking that we keep account of: how long it can come back.

    @property
    def destructive(self) -> bool:
        return self.verb in DESTRUCTIVE

    @property
    def line(self) -> str:
        """What the digest is made of: nothing that a reader was not shown."""
        return f"{self.verb} {self.item} {hash_of(self.before)} {hash_of(self.after)}"


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a task; the same key is never open twice on one target."""

    pipeline: str
    target: Ref
    key: str
    input: dict[str, AnyJson] = {}


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """Something worth telling the world besides the status: `host.heartbeat_missing`."""

    type: str
    message: str


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """What this pass says about a declared part of the domain that has no loop of its own."""

    ref: Ref
    item: str
    state: State
    reason: str
    generation: int
    gone: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one pass concluded. `desired` and `actual` are counts, for the guards."""

    actions: tuple[Action, ...] = ()
    starts: tuple[Start, ...] = ()
    state: State = State.READY
    reason: str = "as declared"
    conditions: tuple[Condition, ...] = ()
    facts: dict[str, AnyJson] = {}
    happenings: tuple[Happening, ...] = ()
    members: tuple[Member, ...] = ()
    again_in: float | None = None
    desired: int = 0
    actual: int = 0
    known: frozenset[str] = frozenset()
    """Items that are there and ours, so that a later absence is noticed as one."""
    weight: int = 0  # Of all that is owned; 0: each item weighs 1.
    groups: dict[str, int] = {}
    """How many are declared of each group, where a domain has groups: one that is wholly gone is a doubt."""
    unhealthy: frozenset[str] = frozenset()  # As declared, but not well: no further wave goes out.
    needs: dict[str, tuple[str, ...]] = {}
    """Item -> items that must be there before it and stay until it is gone."""
    waits_for: str = ""  # Another entity that is not there yet: nothing is created before it.
    vanished: int = 0  # Of what is watched together elsewhere, as in an account: how many are gone at once,
    watched: int = 0  # and of how many.
    marks: dict[str, str] = {}
    """Item that is to be destroyed -> the act that made it, as its mark at the provider says."""
    adopts: frozenset[str] = frozenset()  # Items that nobody's mark is on: changing one makes it ours.
    gone: bool = False  # Deletion is finished and confirmed: the declaration may leave the store.


def diff(
    desired: Mapping[str, AnyJson],
    actual: Mapping[str, AnyJson | Absence],
    *,
    explicit: frozenset[str] = frozenset(),
    protected: frozenset[str] = frozenset(),
) -> tuple[Action, ...]:
    """The smallest set of changes; an item that is UNKNOWN yields none."""
    # One random access for each item: among a million, reaching memory is what costs.
    undeclared = dict(actual)
    changes = []
    for item, wanted in desired.items():
        seen = undeclared.pop(item, ABSENT)
        if seen is UNKNOWN or seen == wanted:
            continue
        verb, before = (Verb.CREATE, None) if seen is ABSENT else (Verb.UPDATE, seen)
        changes.append(Action(verb=verb, item=item, before=before, after=wanted))
    changes += [
        Action(
            verb=Verb.DELETE, item=item, before=seen, explicit=item in explicit, protected=item in protected
        )
        for item, seen in undeclared.items()
        if not isinstance(seen, Absence)
    ]
    return ordered(changes)


def ordered(actions: Iterable[Action]) -> tuple[Action, ...]:
    """Creates, then updates, then deletes; by item inside each."""
    return tuple(sorted(actions, key=lambda action: (_ORDER.index(action.verb), action.item)))


def arranged(actions: Iterable[Action], needs: Mapping[str, tuple[str, ...]]) -> tuple[Action, ...]:
    """What others need is made before them and taken away after them; otherwise in the order given."""
    if not needs:
        return tuple(actions)
    given = {action.item: action for action in actions}
    users: dict[str, list[str]] = {}
    for item, needed in needs.items():
        for need in needed:
            users.setdefault(need, []).append(item)
    placed: dict[str, Action] = {}
    entered: set[str] = set()  # A circle is walked once: what it is made of is not ours to judge.
    trail = [(item, False) for item in reversed(given)]
    while trail:
        item, is_next = trail.pop()
        if is_next:
            placed[item] = given[item]
        elif item in given and item not in entered:
            entered.add(item)
            first: Iterable[str] = users.get(item, ()) if given[item].destructive else needs.get(item, ())
            trail += [(item, True), *((each, False) for each in first)]
    return tuple(placed.values())


def digest(actions: Iterable[Action]) -> str:
    """Names exactly this set of changes, whatever order they were found in."""
    lines = sorted(action.line for action in actions)
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def sizes(actions: Iterable[Action]) -> dict[Literal["create", "update", "delete"], int]:
    """How big each part of the difference is."""
    counted: dict[Literal["create", "update", "delete"], int] = {"create": 0, "update": 0, "delete": 0}
    for action in actions:
        if action.destructive:
            counted["delete"] += 1
        elif action.verb is Verb.CREATE:
            counted["create"] += 1
        else:
            counted["update"] += 1
    return counted
