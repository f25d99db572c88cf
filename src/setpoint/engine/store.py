"""The store as the engine sees it: a transaction is a value, a read is a named query."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct, json

from setpoint.engine.account import Account, Letter, Link, Strikes
from setpoint.engine.claim import Claim
from setpoint.engine.entity import Declared, Ref, Status
from setpoint.engine.ledger import Budget, Ledger, Parked, Protection, Released
from setpoint.engine.record import Kept, Recorded
from setpoint.engine.request import Attempt, Past
from setpoint.engine.rows import (
    Act,
    Approval,
    Audit,
    Event,
    Head,
    Holding,
    PlanRow,
    Question,
    Replica,
    Service,
    Shard,
    Sign,
    Switch,
    Tally,
    Task,
    Wake,
)
from setpoint.engine.secret import OrganizationKey, Secret, SecretUse
from setpoint.engine.tenancy import Acceptance, Standing
from setpoint.engine.token import Token

AnyRow = Any
RowT = TypeVar("RowT")
Scalar = str | int | float | None
Stored = tuple[bytes, bytes | None]
"""A declaration and its status, as they are stored."""


class Query(Struct, Generic[RowT], frozen=True):
    """A question the store can answer, by name; the sentence is beside its SQL."""

    name: str
    row: type[RowT]


DECLARED_AT: Final = Query("declared_at", Declared)  # slot
DECLARED_IN: Final = Query("declared_in", Declared)  # slots: JSON list
DECLARED_PAGE: Final = Query(
    "declared_page", Declared
)  # kind, organization, project, workspace, after, limit
DECLARED_INSIDE: Final = Query("declared_inside", Declared)  # organization, project, workspace
DECLARED_CHILDREN: Final = Query("declared_children", Declared)  # parent
DECLARED_REFERRING: Final = Query("declared_referring", Declared)  # ref
DECLARED_OWNED: Final = Query("declared_owned", Declared)  # organization, owner
TALLIES: Final = Query("tallies", Tally)  # organization, project, workspace
HOLDING: Final = Query("holding", Holding)  # organization
# Walks along one organization, "" for what lives in none: kind, organization, project, workspace, text,
# state, unseen, value, after, limit. `unseen` is the state of what has no status; "" leaves nothing out.
BY_CREATED: Final = Query("declared_by_created", Declared)
BY_CREATED_DOWN: Final = Query("declared_by_created_down", Declared)
BY_NAME: Final = Query("declared_by_name", Declared)
BY_NAME_DOWN: Final = Query("declared_by_name_down", Declared)
BY_CHANGED: Final = Query("declared_by_changed", Declared)
BY_CHANGED_DOWN: Final = Query("declared_by_changed_down", Declared)
UNWELL: Final = Query("unwell", Declared)  # the same, of one state that is not READY, by ref
DECLARED_ALL: Final = Query("declared_all", Declared)  # after, limit
DECLARED_OF: Final = Query("declared_of", Declared)  # refs: JSON list
STATUSES: Final = Query("statuses", Status)  # refs: JSON list
WAKES_OF: Final = Query("wakes_of", Wake)  # ref
WAKES_AFTER: Final = Query("wakes_after", Wake)  # after, limit
ACTS_OPEN: Final = Query("acts_open", Act)  # domain; "" for every domain
ACTS_SINCE: Final = Query("acts_since", Act)  # domain, since: began at or after
ACTS_OF: Final = Query("acts_of", Act)  # ids: JSON list
ACTS_PAGE: Final = Query("acts_page", Act)  # domain, after, limit: newest first; after "" starts
PLANS_OF: Final = Query("plans_of", PlanRow)  # ref: newest first, at most 20
PLANS_PAGE: Final = Query("plans_page", PlanRow)  # organization, state ("" any), after, limit: newest first
APPROVALS_OF: Final = Query("approvals_of", Approval)  # ref
SWITCHES_OF: Final = Query("switches_of", Switch)  # keys: JSON list
SWITCHES: Final = Query("switches", Switch)  # every switch
TASKS_OF: Final = Query("tasks_of", Task)  # target: newest first, at most 20
TASKS_OPEN: Final = Query("tasks_open", Task)  # every open task
TASKS_PAGE: Final = Query("tasks_page", Task)  # organization, after, limit: newest first
TASKS_OVER: Final = Query("tasks_over", Task)  # after, limit: oldest first
# organization, state (asked or shown), limit: oldest first
QUESTIONS_IN: Final = Query("questions_in", Question)
QUESTIONS_OVER: Final = Query("questions_over", PlanRow)  # limit: oldest first; answered, or given up
EVENTS_AFTER: Final = Query("events_after", Event)  # organization, after (revision), limit
EVENTS_BEFORE: Final = Query("events_before", Event)  # organization, below (revision), limit: newest first
EVENTS_OF: Final = Query("events_of", Event)  # ref, limit: newest first
FIRST_EVENT_OF: Final = Query("first_event_of", Event)  # ref: at most one
LEDGERS_OF: Final = Query("ledgers_of", Ledger)  # refs: JSON list
PROTECTIONS_OF: Final = Query("protections_of", Protection)  # domain
RELEASED_OF: Final = Query("released_of", Released)  # domain
PARKED_OF: Final = Query("parked_of", Parked)  # domain
PASSES_PAGE: Final = Query("passes_page", Recorded)  # ref ("" any), after, limit: newest first
PASSES_IN: Final = Query("passes_in", Recorded)  # organization, after, limit: newest first
PASSES_OLDEST: Final = Query("passes_oldest", Recorded)  # before (time), limit: oldest first
PASSES_KEPT: Final = Query("passes_kept", Kept)  # how many, and how large together
BUDGETS: Final = Query("budgets", Budget)  # every budget
TOKENS_OF: Final = Query("tokens_of", Token)  # subject
TOKENS_OF_PEOPLE: Final = Query("tokens_of_people", Token)  # those of no agent
TOKENS_IN: Final = Query("tokens_in", Token)  # organization, after, limit
TOKENS_CALLED: Final = Query("tokens_called", Token)  # id
TOKENS_OF_ACCOUNT: Final = Query("tokens_of_account", Token)  # account
ACCOUNT_AT: Final = Query("account_at", Account)  # email
ACCOUNTS_PAGE: Final = Query("accounts_page", Account)  # after, limit: newest first
LINKS_TO: Final = Query("links_to", Link)  # purpose, target
LETTERS_PAGE: Final = Query("letters_page", Letter)  # after, limit: newest first
LETTERS_WITH: Final = Query("letters_with", Letter)  # link
STRIKES_BEFORE: Final = Query("strikes_before", Strikes)  # before (time), limit: oldest first
ATTEMPTS_BEFORE: Final = Query("attempts_before", Attempt)  # before (time), limit: oldest first
PASTS_OF: Final = Query("pasts_of", Past)  # ref, limit: newest first
PASTS_BEFORE: Final = Query("pasts_before", Past)  # before (time), limit: oldest first
ACCEPTANCES_BY: Final = Query("acceptances_by", Acceptance)  # account
ACCEPTANCES_OF: Final = Query("acceptances_of", Acceptance)  # refs: JSON list
CLAIMS_AT: Final = Query("claims_at", Claim)  # keys: JSON list
CLAIMS_OF: Final = Query("claims_of", Claim)  # ref
# account, path, end, organization: parts of this path that others than this organization have, at most 20.
CLAIMS_BELOW: Final = Query("claims_below", Claim)
# account, path: after this one, end, organization: of this one, limit: by path
CLAIMS_BELOW_OWN: Final = Query("claims_below_own", Claim)
STANDINGS_OF: Final = Query("standings_of", Standing)  # keys: JSON list of organizations
ACCOUNTS_OF: Final = Query("accounts_of", Account)  # ids: JSON list
KEYS_OF: Final = Query("keys_of", OrganizationKey)  # home: newest first
KEYS_RETIRED: Final = Query("keys_retired", OrganizationKey)  # all of them, by id
KEYS_UNDER: Final = Query("keys_under", OrganizationKey)  # master, limit: by id
KEYS_PAGE: Final = Query("keys_page", OrganizationKey)  # after, limit: by id
ORGANIZATIONS: Final = Query("organizations", Declared)  # after, limit: by ref
HEADS_PAGE: Final = Query("heads_page", Head)  # after (organization), limit: but the installation's
SECRETS_OF: Final = Query("secrets_of", Secret)  # home, after (name), limit: by name
SECRETS_HELD: Final = Query("secrets_held", Holding)  # home
USES_OF: Final = Query("uses_of", SecretUse)  # home: by id
AUDIT_PAGE: Final = Query("audit_page", Audit)  # organization, after (revision), limit: oldest first
AUDIT_BACK: Final = Query("audit_back", Audit)  # organization, after (revision), limit: newest first
SHARDS_OF: Final = Query("shards_of", Shard)  # service
REPLICAS_OF: Final = Query("replicas_of", Replica)  # service
SIGNS: Final = Query("signs", Sign)  # refs: JSON list


TENANT: Final[ContextVar[str]] = ContextVar("tenant", default="")
"""The organization that is read for, where it is one: a store that can keeps the others out of sight."""
WOKEN: Final = "*woken"
"""What listeners hear of beside organizations, none of which is called so: a wake was written."""
ANYTHING: Final = ""


class Put(Struct, frozen=True):
    """Insert this row, or replace the one with its key."""

    row: AnyRow


class Drop(Struct, frozen=True):
    """Remove the row with this key, if it is there."""

    row: type[AnyRow]
    key: str


class Expect(Struct, frozen=True):
    """The commit happens only if this column holds this value; no column means the row must be absent."""

    row: type[AnyRow]
    key: str
    column: str = ""
    value: Scalar = None


class Change(Struct, frozen=True):
    """A transaction as a value: all of it or nothing, and nothing is awaited inside.

    Events and audit lines get their revisions from the organization's head, in this order.
    """

    expects: tuple[Expect, ...] = ()
    writes: tuple[Put | Drop, ...] = ()
    events: tuple[Event, ...] = ()
    audit: tuple[Audit, ...] = ()


NOTHING: Final = Change()


def joined(changes: Iterable[Change]) -> Change:
    """Several changes as one transaction."""
    parts = [part for part in changes if part != NOTHING]
    if len(parts) == 1:
        return parts[0]
    return Change(
        expects=tuple(expect for part in parts for expect in part.expects),
        writes=tuple(write for part in parts for write in part.writes),
        events=tuple(event for part in parts for event in part.events),
        audit=tuple(line for part in parts for line in part.audit),
    )


class Lease(Struct, frozen=True):
    """What a replica asks for: to keep what it has, and so many more of those that nobody holds."""

    service: Service
    owner: str
    seconds: float
    more: int = 0
    back: tuple[str, ...] = ()  # Shards it gives back: free from now on.
    alone: bool = False  # Nobody else can be alive: whatever a lease says, it has run out.


class Leased(Struct, frozen=True):
    """What the replica owns now, how many replicas of its service are alive, and the store's own clock."""

    mine: tuple[Shard, ...]
    replicas: int
    clock: float


class Identity(Struct, frozen=True):
    """Which database this is: a copy has another place, and what took over from it another timeline."""

    place: str
    timeline: str = ""


class Store(Protocol):
    """Where everything durable lives. Raises Conflict when an expectation or a slot does not hold."""

    async def commit(self, change: Change) -> None:
        """Durable when this returns."""
        ...

    async def get(self, row: type[RowT], key: str) -> RowT | None: ...

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]: ...

    async def bodies(self, query: Query[Declared], **values: Scalar) -> Sequence[Stored]:
        """What `DECLARED_AT` or `DECLARED_PAGE` finds, as it is stored: to be shown, not decided on."""
        ...

    async def lease(self, asked: Lease) -> Leased:
        """Shards given back, kept and taken in one step, all by the store's own clock."""
        ...

    async def identity(self) -> Identity:
        """Where what is committed lives now."""
        ...

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        """Signs of life, newest wins; not durable to the last second. Listeners hear the hint, if any."""
        ...

    def listen(self, heard: Callable[[frozenset[str]], None]) -> Callable[[], None]:
        """Call `heard` with the organizations each commit moved; returns how to stop. A hint only.

        Among them `WOKEN` where somebody was woken, and `ANYTHING` where hints may have been lost.
        """
        ...

    async def close(self) -> None: ...


def listed(values: Iterable[str]) -> str:
    """Several values for one question: what is asked together costs one answer."""
    return json.encode(sorted(set(values))).decode()


async def held_acts(store: Store, ids: Iterable[str]) -> frozenset[str]:
    """Which of these acts the journal holds."""
    return frozenset(act.id for act in await store.read(ACTS_OF, ids=listed(ids)))


async def signs_of(store: Store, refs: Iterable[str]) -> Mapping[Ref, Sign]:
    """The last sign of life of each of these that ever gave one."""
    return {sign.ref: sign for sign in await store.read(SIGNS, refs=listed(refs))}
