"""Every table there is: how a row is kept, and which columns queries read."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from setpoint.engine.account import Account, Factors, Letter, Link, Strikes
from setpoint.engine.claim import Claim
from setpoint.engine.entity import Declared, Status
from setpoint.engine.ledger import Budget, Ledger, Parked, Protection, Released
from setpoint.engine.record import Recorded
from setpoint.engine.request import Attempt, Cancellation, Past
from setpoint.engine.rows import (
    Act,
    Approval,
    Audit,
    Event,
    Head,
    Installation,
    PlanRow,
    Replica,
    Shard,
    Sign,
    Switch,
    Task,
    Wake,
)
from setpoint.engine.secret import Master, OrganizationKey, Secret, SecretUse
from setpoint.engine.store import AnyRow
from setpoint.engine.tenancy import Acceptance, Standing
from setpoint.engine.token import Token

Reach = Literal["ref", "dropped", "since", "nothing", "stays"]
"""What of a table reaches the next organization, project or workspace of a name that was removed.

ref: nothing, for its rows are bound to refs, which no other object ever has; dropped: nothing, for they go in
the commit that declares the next one; since: only whoever runs the installation reads what is older than it;
nothing: no row names an organization; stays: on purpose, see the line.
"""


class Table(Struct, frozen=True):
    """How a row is kept: its key, the columns queries read, and the whole row as a body.

    A column called `slot` is unique where it is not null.
    """

    name: str
    row: type[AnyRow]
    key: str
    reach: Reach
    columns: tuple[str, ...] = ()
    absence: bool = False  # Whether a change may rest on a row's absence without putting it.

    @property
    def slotted(self) -> bool:
        return "slot" in self.columns


_PLACE: Final = ("kind", "organization", "project", "workspace", "name")
_FOUND: Final = ("parent", "owner", "generation", "slot", "refs", "changed_at", "words")
TABLES: Final[Mapping[type[AnyRow], Table]] = {
    table.row: table
    for table in (
        # Its own rows are gone; what memberships and roles gave in the place is.
        Table("declared", Declared, "ref", "dropped", (*_PLACE, *_FOUND)),
        Table("status", Status, "ref", "ref", ("state",)),
        Table("wake", Wake, "id", "ref", ("ref",)),
        Table("act", Act, "id", "ref", ("domain", "item", "verb", "state", "began_at", "ended_at", "slot")),
        Table("plan", PlanRow, "id", "since", ("ref", "organization", "state", "digest")),
        Table("approval", Approval, "id", "ref", ("ref",)),
        Table("switch", Switch, "key", "dropped", ("version",), absence=True),
        Table("task", Task, "id", "since", ("target", "organization", "state", "due_at", "slot")),
        Table("ledger", Ledger, "ref", "ref"),
        Table("protection", Protection, "key", "ref", ("domain",), absence=True),
        Table("released", Released, "key", "ref", ("domain",)),
        Table("parked", Parked, "key", "ref", ("domain",)),
        # Deletes of the last hour count against the name: it is the safe side, for an hour.
        Table("budget", Budget, "key", "stays", ("version",)),
        Table("pass", Recorded, "id", "since", ("ref", "organization", "at")),
        Table("token", Token, "hash", "dropped", ("id", "organization", "ref", "subject", "account")),
        Table("account", Account, "id", "nothing", ("slot", "version")),
        Table("factors", Factors, "account", "nothing", ("version",)),
        Table("link", Link, "hash", "ref", ("purpose", "target", "slot")),
        Table("letter", Letter, "id", "nothing", ("link",)),
        Table("strikes", Strikes, "key", "nothing", ("count", "at")),
        Table("attempt", Attempt, "key", "ref", ("version", "until")),
        Table("cancellation", Cancellation, "id", "ref"),
        Table("past", Past, "key", "ref", ("ref", "generation", "at")),
        Table("acceptance", Acceptance, "ref", "ref", ("account",)),
        Table("claim", Claim, "key", "ref", ("ref", "account", "path", "organization")),
        Table("standing", Standing, "organization", "dropped"),
        Table("master", Master, "key", "nothing", ("id",)),
        Table("organization_key", OrganizationKey, "id", "ref", ("home", "version", "master", "retired_at")),
        Table("secret", Secret, "id", "ref", ("home", "name", "revision")),
        Table("secret_use", SecretUse, "id", "ref", ("home",)),
        # The audit chain of a name goes on, so that nobody cuts it by a deletion.
        Table("head", Head, "organization", "stays"),
        Table("installation", Installation, "key", "nothing"),
        Table("shard", Shard, "key", "nothing", ("service", "owner", "epoch", "until")),
        Table("replica", Replica, "key", "nothing", ("service", "until")),
    )
}
APPENDED: Final[Mapping[type[AnyRow], Reach]] = {Event: "since", Audit: "since", Sign: "ref"}
"""`event` and `audit` rows are appended by the store itself; `sign` rows go to a file of their own."""
