"""All there is to know about one sort of entity; routes, verbs, schema and docs are derived from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct, convert, field
from msgspec.structs import replace

from setpoint.engine.claim import Thing
from setpoint.engine.entity import (
    AnyEntity,
    AnyJson,
    Declared,
    Entity,
    Ref,
    Scope,
    Shape,
    State,
    Status,
    kind_of,
)
from setpoint.engine.loop import Loop
from setpoint.engine.rows import Mode

AnyWorld = Any
UNKNOWN_FACT: Final = "unknown"
"""Among the facts: what is ours by its mark and declared nowhere. See `Kind.adopts`."""
Level = Literal["installation", "organization", "project", "workspace"]
Relation = Literal["self", "parent", "child", "reference"]


class Every(Struct, frozen=True):
    """The level trigger: looked at this often, whatever else happens."""

    seconds: float


class On(Struct, frozen=True):
    """An edge trigger: this event of this relative is a reason to look now."""

    event: str
    of: Relation = "self"


class Clash(Struct, frozen=True):
    """One part that cannot stand beside the others below the same parent: its field, and why."""

    ref: Ref
    field: str
    message: str


class Kind(Struct, frozen=True):
    """One sort of entity. A kind without a loop is stored and read by others."""

    name: str
    plural: str
    about: str
    level: Level
    spec: type[Shape]
    example: Mapping[str, AnyJson]
    loop: Callable[[AnyWorld], Loop] | None = None
    every: Every | None = None
    on: tuple[On, ...] = ()
    parent: str = ""
    """The spec field that names the parent: what is declared there is part of the parent's intent."""
    references: Mapping[str, str] = field(default_factory=dict)
    """Spec field -> kind it names; the field holds one name or several."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Spec field that names a secret -> the field with the address that it is used at."""
    published: Callable[[Shape], str] | None = None
    """The vendor's own address, which a secret serves that names no hosts."""
    mode: Callable[[Shape], Mode] | None = None  # For accounts: how much may be done through it.
    asks_account: bool = True
    """Whether a look at one asks the account that it names. What only reads declarations, as a group of hosts
    does, goes well while the vendor is away: from that nobody may learn that the account is there."""
    at_once: int = 1  # How many creates and updates of one domain may be under way side by side.
    can_be_lost: bool = False
    """Its things can end by themselves, as a server can: one that is gone is made again, whoever ended it."""
    observe_seconds: float = 60.0  # How long one observation may take as a whole.
    by_machine: bool = False  # Declared by what it describes, as an agent is; people may read and delete it.
    exact: bool = False  # A change of one must say which version it is about.
    config_event: str = "entity.config_changed"
    columns: Mapping[str, str] = field(default_factory=dict)
    """Heading -> dotted path: what a table of these shows besides name, state and reason."""
    adopts: str = ""
    """The kind of what it lists as `unknown` among its facts: ours by its mark, and declared nowhere."""
    check: Callable[[Shape], tuple[tuple[str, str], ...]] | None = None
    """What the schema cannot say: (field, what is wrong with it)."""
    claims: Callable[[Any], Iterable[Thing]] | None = None
    """External things that one entity alone may own in the installation, each in its one spelling."""
    known_as: Callable[[AnyEntity], tuple[str, ...]] | None = None
    """For accounts: the other names of what may be one account, so that nothing at it is claimed twice."""
    fixed: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    """Spec field that says where a thing is -> its one spelling. It stays once anything was made there."""
    identity: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    """Spec field that names the thing outside -> its one spelling. It stays while the object is protected:
    under another name it would be made anew, and deleted under this one."""
    by_right: tuple[str, ...] = ()
    """Spec fields that only those may set who have the right to execute."""
    beside: Callable[[AnyEntity | None, Sequence[Any]], Iterable[Clash]] | None = None
    """What cannot stand together: asked of a parent and of all its parts of this kind as they would be.

    None stands for a parent that cannot be read: its mistakes hide none that is a matter of the parts alone.
    """


Kinds = Mapping[str, Kind]


def entity_from(kinds: Kinds, declared: Declared, status: Status | None) -> AnyEntity:
    """The two rows joined, the spec typed."""
    spec = convert(declared.spec, kinds[kind_of(declared.ref)].spec)
    return Entity(declared, spec, status or first_status(kinds[declared.kind], declared))


def first_status(kind: Kind, declared: Declared) -> Status:
    """Before any pass, and for ever where none will come."""
    first = Status(ref=declared.ref, since=declared.created_at)
    if kind.loop is not None or kind.parent:
        return first
    reason = "as declared; it has no loop of its own"
    return replace(first, state=State.READY, reason=reason, generation=declared.generation)


def level_of(scope: Scope) -> Level:
    """Which level things in this scope live at."""
    if scope.workspace:
        return "workspace"
    if scope.project:
        return "project"
    return "organization" if scope.organization else "installation"
