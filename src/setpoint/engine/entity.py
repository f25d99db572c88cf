"""What people declare and what we say about it: two rows with two pens, joined as one entity."""

import hashlib
from enum import StrEnum
from typing import Any, Generic, Literal, NewType, TypeVar

import msgspec

Ref = NewType("Ref", str)  # `kind/id`: one entity for its whole life, whatever it is called.

AnyJson = Any
Deleting = Literal["", "asked", "withdrawn"]
"""asked: a person deleted this very object; withdrawn: a file or group no longer mentions it."""


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every spec and pipeline state."""


class State(StrEnum):
    """One word for people; the reason beside it says the rest."""

    PENDING = "PENDING"
    READY = "READY"
    DEGRADED = "DEGRADED"
    HELD = "HELD"
    FAILED = "FAILED"


class Scope(msgspec.Struct, frozen=True):
    """Where something lives: organization, project, workspace, from the outside in."""

    organization: str = ""
    project: str = ""
    workspace: str = ""

    def __str__(self) -> str:
        if not self.project and not self.workspace:
            return self.organization
        return "/".join([part for part in (self.organization, self.project, self.workspace) if part])

    def holds(self, other: "Scope") -> bool:
        """Whether `other` is this scope or lies inside it."""
        return (
            self.organization in ("", other.organization)
            and self.project in ("", other.project)
            and self.workspace in ("", other.workspace)
        )

    @property
    def depth(self) -> int:
        """How many names it has: none for the installation, three for a workspace."""
        return len(self.outwards()) - 1

    def outwards(self) -> tuple["Scope", ...]:
        """This scope, then each one around it, the installation last."""
        chain = (self, Scope(self.organization, self.project), Scope(self.organization), Scope())
        return tuple(dict.fromkeys(chain))


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """One aspect that is true, false or unknown, since when and why."""

    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str = ""
    since: float = 0.0


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """Intent, as the Control API wrote it."""

    ref: Ref
    kind: str
    scope: Scope
    name: str
    spec: dict[str, AnyJson]
    parent: Ref | None = None
    refs: tuple[Ref, ...] = ()
    labels: dict[str, str] = {}
    owner: str = ""
    generation: int = 1
    deleting: Deleting = ""
    protected: bool = False
    created_at: float = 0.0
    changed_at: float = 0.0
    changed_by: str = ""
    people: tuple[str, ...] = ()
    """At the root of all who asked for what is not done yet, in the order in which they joined."""

    @property
    def organization(self) -> str:
        return self.scope.organization

    @property
    def project(self) -> str:
        return self.scope.project

    @property
    def workspace(self) -> str:
        return self.scope.workspace

    @property
    def words(self) -> str:
        """What it is found by: its name and its labels, a line each, in small letters."""
        return "\n".join((self.name, *(f"{key}={value}" for key, value in self.labels.items()))).lower()

    @property
    def inner(self) -> Scope | None:
        """The scope that this is, for what lives inside it; None for what holds nothing."""
        holds = self.kind in Scope.__struct_fields__
        return msgspec.structs.replace(self.scope, **{self.kind: self.name}) if holds else None

    @property
    def tenant(self) -> str:
        """Whose log this belongs in: its organization's, and an organization's own."""
        return self.scope.organization or self.name

    @property
    def slot(self) -> str:
        return slot(self.kind, self.scope, self.name)


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What the scheduler last found, always with a reason."""

    ref: Ref
    state: State = State.PENDING
    reason: str = "declared; not looked at yet"
    since: float = 0.0
    generation: int = 0
    observed_at: float = 0.0
    conditions: tuple[Condition, ...] = ()
    facts: dict[str, AnyJson] = {}
    failures: int = 0
    alike: int = 0  # How many of the last failures were the same one.
    ready_at: float = 0.0  # When it last became READY; 0: it never was.
    plan: str = ""  # Id of the held plan that waits for a person, if one does.

    def says_the_same_as(self, other: "Status") -> bool:
        """Whether a reader would notice a difference beyond the time of looking."""
        return msgspec.structs.replace(self, observed_at=0.0) == msgspec.structs.replace(
            other, observed_at=0.0
        )


SpecT = TypeVar("SpecT", bound=Shape)


class Entity(msgspec.Struct, Generic[SpecT], frozen=True):
    """One declared thing with its typed spec and its last status."""

    declared: Declared
    spec: SpecT
    status: Status

    @property
    def ref(self) -> Ref:
        return self.declared.ref

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def scope(self) -> Scope:
        return self.declared.scope

    @property
    def generation(self) -> int:
        return self.declared.generation

    @property
    def deleting(self) -> Deleting:
        return self.declared.deleting

    @property
    def facts(self) -> dict[str, AnyJson]:
        return self.status.facts


AnyEntity = Entity[Any]


def ref_of(kind: str, identity: str) -> Ref:
    return Ref(f"{kind}/{identity}")


def kind_of(ref: Ref) -> str:
    return ref.partition("/")[0]


def slot(kind: str, scope: Scope, name: str) -> str:
    """The place a name takes: no two live entities share it."""
    return f"{kind}|{scope}|{name}"


def canonical(value: AnyJson) -> bytes:
    """The one spelling of a value: sorted keys, no spaces."""
    return msgspec.json.encode(value, order="deterministic")


def hash_of(value: AnyJson) -> str:
    """128 bits that stand for a value."""
    return hashlib.blake2b(canonical(value), digest_size=16).hexdigest()
