"""Which tenant each lent connection is set to: the database then shows it that tenant's rows alone."""

import re
from functools import cache
from typing import Final

from setpoint.engine.store import TENANT
from setpoint.storage.postgres.connection import Session

WALLED: Final = frozenset({"audit", "declared", "event", "pass", "plan", "task"})
"""Tables that the database shows by tenant; who somebody is, and how organizations stand, is no tenant's."""
_SAY: Final = "SELECT set_config('setpoint.tenant', $1, false)"
_WORD: Final = re.compile(r"\b[a-z_]+\b")


@cache
def is_walled(sql: str) -> bool:
    """Whether this reads a walled table, whatever sort of rows it answers with: sums and joins do too."""
    return not WALLED.isdisjoint(_WORD.findall(sql))


class Tenants:
    """Said again only where it differs: the reads of one request mostly get the same connection."""

    def __init__(self) -> None:
        self._said: dict[int, str] = {}

    async def settle(self, session: Session) -> None:
        """From here on this connection reads for whoever the caller reads for."""
        tenant, number = TENANT.get(), session.get_server_pid()
        if self._said.get(number, "") == tenant:
            return
        # Not known while it is under way: whoever is cancelled here leaves nothing that is believed.
        self._said[number] = "?"
        await session.fetchval(_SAY, tenant)
        self._said[number] = tenant
