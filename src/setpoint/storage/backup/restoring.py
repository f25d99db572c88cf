"""What a restored database begins with: it acts on nothing until a person has seen what is newer."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from setpoint.engine.levers import flipped, tightened
from setpoint.engine.rows import Installation, Mode, Switch
from setpoint.engine.store import AnyRow, Change
from setpoint.engine.token import Token
from setpoint.storage.backup.reading import ALL, Backup

BY: Final = "restore"


def first_change(backup: Backup, now: float) -> Change:
    """Everything only observes, from the first moment on: the commit that fills the store holds this too."""
    header = backup.header
    taken = datetime.fromtimestamp(header.taken_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    reason = (
        f"restored from a backup of {taken} UTC, taken by installation {header.installation}; "
        "review what is newer, then: setpoint resume --all"
    )
    wanted = Switch(key=ALL, mode=Mode.OBSERVE, by=BY, reason=reason, since=now)
    return flipped(tightened(backup.switch, wanted), backup.switch)


def placeless(rows: Iterable[AnyRow]) -> Iterator[AnyRow]:
    """The rows without where their database was: the first start at the new place says so anew.

    Nor with anybody's session: it may have been ended since, and must not come back to life.
    """
    for row in rows:
        if not isinstance(row, Token) or row.sort != "session":
            yield replace(row, identity="", timeline="") if isinstance(row, Installation) else row
