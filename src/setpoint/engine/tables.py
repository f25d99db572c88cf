"""Every table there is: how a row is kept, and which columns queries read."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from setpoint.engine.account import Account, Factors, Letter, Link, Strikes
from setpoint.engine.entity import Declared, Status
from setpoint.engine.ledger import Budget, Ledger, Parked, Protection, Released
from setpoint.engine.record import Recorded
from setpoint.engine.request import Attempt, Cancellation, Past
from setpoint.engine.rows import (
    Act,
    Approval,
    Head,
    Installation,
    PlanRow,
    Replica,
    Shard,
    Switch,
    Task,
    Wake,
)
from setpoint.engine.secret import Master, OrganizationKey, Secret, SecretUse
from setpoint.engine.store import AnyRow
from setpoint.engine.tenancy import Acceptance, Standing
from setpoint.engine.token import Token


class Table(Struct, frozen=True):
    """How a row is kept: its key, the columns queries read, and the whole row as a body.

    A column called `slot` is unique where it is not null.
    """

    name: str
    row: type[AnyRow]
    key: str
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
        Table("declared", Declared, "ref", (*_PLACE, *_FOUND)),
        Table("status", Status, "ref", ("state",)),
        Table("wake", Wake, "id", ("ref",)),
        Table("act", Act, "id", ("domain", "item", "verb", "state", "began_at", "ended_at", "slot")),
        Table("plan", PlanRow, "id", ("ref", "organization", "state", "digest")),
        Table("approval", Approval, "id", ("ref",)),
        Table("switch", Switch, "key", ("version",), absence=True),
        Table("task", Task, "id", ("target", "organization", "state", "due_at", "slot")),
        Table("ledger", Ledger, "ref"),
        Table("protection", Protection, "key", ("domain",), absence=True),
        Table("released", Released, "key", ("domain",)),
        Table("parked", Parked, "key", ("domain",)),
        Table("budget", Budget, "key", ("version",)),
        Table("pass", Recorded, "id", ("ref", "organization", "at")),
        Table("token", Token, "hash", ("id", "organization", "ref", "subject", "account")),
        Table("account", Account, "id", ("slot", "version")),
        Table("factors", Factors, "account", ("version",)),
        Table("link", Link, "hash", ("purpose", "target", "slot")),
        Table("letter", Letter, "id", ("link",)),
        Table("strikes", Strikes, "key", ("count", "at")),
        Table("attempt", Attempt, "key", ("version", "until")),
        Table("cancellation", Cancellation, "id"),
        Table("past", Past, "key", ("ref", "generation", "at")),
        Table("acceptance", Acceptance, "ref", ("account",)),
        Table("standing", Standing, "organization"),
        Table("master", Master, "key", ("id",)),
        Table("organization_key", OrganizationKey, "id", ("home", "version", "master", "retired_at")),
        Table("secret", Secret, "id", ("home", "name", "revision")),
        Table("secret_use", SecretUse, "id", ("home",)),
        Table("head", Head, "organization"),
        Table("installation", Installation, "key"),
        Table("shard", Shard, "key", ("service", "owner", "epoch", "until")),
        Table("replica", Replica, "key", ("service", "until")),
    )
}
"""`event` and `audit` rows are appended by the store itself; `sign` rows go to a file of their own."""
