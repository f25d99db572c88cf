"""Every row we keep besides intent and status: plain frozen values, one class per table."""

from enum import StrEnum
from typing import Final, Literal

import msgspec

from setpoint.engine.entity import AnyJson, Declared, Ref, Scope
from setpoint.engine.plan import DESTRUCTIVE, Action, Verb
from setpoint.engine.turn import Turn

Service = Literal["scheduler", "worker"]
"""The services that own work."""


class Lane(StrEnum):
    """Why something is due, most urgent first."""

    INTERACTIVE = "interactive"
    EVENT = "event"
    RETRY = "retry"
    RESYNC = "resync"

    __hash__ = str.__hash__  # Enum's own is a call in Python, and every wake pays for it.


class Wake(msgspec.Struct, frozen=True, kw_only=True):
    """Look at this soon; deleted by the pass that read it before it read intent."""

    id: str
    ref: Ref
    reason: str
    lane: Lane = Lane.EVENT
    tenant: str = ""  # Whose turn this takes: tenants take turns in each lane.


class ActState(StrEnum):
    STARTED = "started"
    UNKNOWN = "unknown"
    DONE = "done"
    FAILED = "failed"


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """One change of the outside world, recorded before the call and after it."""

    id: str
    domain: Ref
    organization: str
    verb: Verb
    item: str
    before: AnyJson = None
    after: AnyJson = None
    state: ActState = ActState.STARTED
    deadline: float = 0.0
    began_at: float = 0.0
    ended_at: float = 0.0
    shard: str = ""
    epoch: int = 0  # Of its shard, when it began.
    generation: int = 0
    approval: str = ""
    explicit: bool = False
    deferred: bool = False  # The provider asked to come later: nothing was done, and nothing failed.
    fault: Literal["", "item", "account"] = ""  # Whose it is, or may be, if it did not end well.
    detail: str = ""

    @property
    def destructive(self) -> bool:
        return self.verb in DESTRUCTIVE

    @property
    def open(self) -> bool:
        return self.state in (ActState.STARTED, ActState.UNKNOWN)

    @property
    def slot(self) -> str | None:
        return f"{self.domain}|{self.item}" if self.open else None


class HoldRow(msgspec.Struct, frozen=True, kw_only=True):
    """Why a guard withheld something, with its numbers."""

    guard: str
    message: str
    withholds: Literal["plan", "deletes", "items"]
    items: tuple[str, ...] = ()


class PlanState(StrEnum):
    ASKED = "asked"
    SHOWN = "shown"
    HELD = "held"
    APPROVED = "approved"
    REJECTED = "rejected"
    STALE = "stale"
    DONE = "done"


class PlanRow(msgspec.Struct, frozen=True, kw_only=True):
    """A plan somebody may look at: held for a person, or asked for as a dry run."""

    id: str
    ref: Ref
    kind: str
    scope: Scope
    name: str
    state: PlanState
    digest: str = ""
    actions: tuple[Action, ...] = ()
    holds: tuple[HoldRow, ...] = ()
    generation: int = 0
    desired: int = 0
    actual: int = 0
    created_at: float = 0.0
    changed_at: float = 0.0
    author: str = ""  # Whose edit it follows from: where there are others, they approve it.
    people: tuple[str, ...] = ()  # At the root of that author and of all who asked for a part of it.
    decided_by: str = ""
    note: str = ""
    agreed: tuple[str, ...] = ()  # Items that were approved.
    proposals: tuple[Declared, ...] = ()  # For a dry run: the declarations it is about.

    @property
    def organization(self) -> str:
        return self.scope.organization

    @property
    def is_dry_run(self) -> bool:
        """Whether it answers what a change would do; it is about no object that is declared."""
        return self.kind == "plan"

    @property
    def tenant(self) -> str:
        """Whose log this belongs in, as for what it is about."""
        return self.scope.organization or self.name


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """One person's yes to exactly these destructive items, for these reasons, until then."""

    id: str
    ref: Ref
    plan: str
    digest: str
    items: dict[str, str]  # item -> the action's line, which holds the hash of what was seen
    waives: tuple[str, ...]
    approver: str
    reason: str
    created_at: float
    expires_at: float
    spent: tuple[str, ...] = ()
    died: str = ""  # Why it no longer counts: something was to be destroyed that it did not name.
    left: dict[str, str] = {}  # Shown as well and left out: a person decides about these again.


class Mode(StrEnum):
    """How much may happen, most first."""

    RUN = "run"
    NO_DELETES = "no-deletes"
    OBSERVE = "observe"
    STOP = "stop"


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """One lever at one level: `all`, `kind:host`, `scope:acme/shop`, `domain:<ref>`."""

    key: str
    mode: Mode
    by: str
    reason: str
    since: float
    version: int = 1


class TaskState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    UNDOING = "undoing"
    DONE = "done"
    FAILED = "failed"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a pipeline; the next step is saved by name."""

    id: str
    pipeline: str
    target: Ref
    key: str
    organization: str
    asked_by: str
    state: TaskState = TaskState.QUEUED
    step: str = ""
    steps_done: tuple[str, ...] = ()
    saved: dict[str, AnyJson] = {}
    attempts: int = 0
    due_at: float = 0.0
    reason: str = "waiting for the worker"
    error: str = ""
    created_at: float = 0.0
    changed_at: float = 0.0
    cancelled: str = ""  # By whom, and why: nothing starts it again for the same intent.
    version: int = 0  # Rises with each save: of two that ran the same step, one is too late.
    story: tuple[Turn, ...] = ()  # Oldest first, the last of them.

    @property
    def open(self) -> bool:
        return self.state not in (TaskState.DONE, TaskState.FAILED)

    @property
    def slot(self) -> str | None:
        return f"{self.target}|{self.key}" if self.open else None


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """A sign of life; losing the last second of them is harmless."""

    ref: Ref
    at: float
    facts: dict[str, AnyJson] = {}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened, in the order of its organization."""

    organization: str
    type: str
    ref: Ref
    scope: Scope
    at: float
    message: str = ""
    revision: int = 0  # Given by the store inside the commit.

    @property
    def kind(self) -> str:
        return self.ref.partition("/")[0]


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """One line of evidence, chained to the line before it."""

    organization: str
    actor: str
    action: str
    ref: str
    at: float
    detail: dict[str, AnyJson] = {}
    revision: int = 0
    previous: str = ""
    hash: str = ""  # Revision, previous and hash are given by the store inside the commit.


INSTALLATION: Final = ""
"""The home of lines about what belongs to no organization: people, and levers above every organization."""
Subject = Declared | PlanRow  # What events and evidence are about: it has a ref, a scope and a tenant.


def told(about: Subject, what: str, message: str, at: float) -> Event:
    return Event(
        organization=about.tenant, type=what, ref=about.ref, scope=about.scope, at=at, message=message
    )


def evidence(about: Subject, actor: str, action: str, at: float, **detail: AnyJson) -> Audit:
    return Audit(organization=about.tenant, actor=actor, action=action, ref=about.ref, at=at, detail=detail)


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """Where an organization stands: updated last in each of its commits."""

    organization: str
    revision: int = 0
    hash: str = ""


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """Who we are."""

    key: Literal["installation"] = "installation"
    id: str
    identity: str = ""  # Of the database we live in: in another one we are a copy.
    timeline: str = ""  # Of that database: it changes when another server takes over.
    seal: str = ""  # Opens with the key that people's second factors are sealed with, and with no other.


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a service's work and whoever owns it. Its epoch rises whenever it changes hands."""

    key: str
    service: Service
    owner: str = ""
    epoch: int = 0
    until: float = 0.0  # By the store's own clock; afterwards anybody may take it.


class Replica(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a service that is alive until then, by the store's own clock."""

    key: str
    service: Service
    until: float


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """How many objects one organization has, and how large their declarations are together, as stored."""

    objects: int
    bytes: int


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A dry run by its id alone: what it is about and what it answers may be large."""

    id: str


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """So many of one kind in one state at one place; no state where nothing was looked at yet."""

    kind: str
    scope: Scope
    state: str
    count: int
