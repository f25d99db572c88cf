"""What organizations, projects and workspaces hold, counted when it is shown: a pass could not keep it."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from setpoint.engine.entity import Declared, State, Status
from setpoint.engine.rows import Tally
from setpoint.engine.store import TALLIES, Store
from setpoint.kinds.container import HOLDERS, HOLDS, contents_of


class Contents(Struct):
    """For one answer: each organization is counted once, however many of its parts are shown."""

    store: Store
    _tallies: dict[str, Sequence[Tally]] = field(default_factory=dict)

    async def fill(self, declared: Declared, status: Status) -> Status:
        """The status with what is inside now; as it is for what holds nothing, or is not well."""
        inner = declared.inner
        if declared.kind not in HOLDERS or inner is None or status.state is not State.READY:
            return status
        counts: Counter[str] = Counter()
        for tally in await self._tallies_of(inner.organization):
            counts[tally.kind] += tally.count if inner.holds(tally.scope) else 0
        counts = +counts
        reason = status.reason.replace(HOLDS, f"holds {contents_of(counts)}")
        return replace(status, reason=reason, facts={**status.facts, **counts, "inside": counts.total()})

    async def _tallies_of(self, organization: str) -> Sequence[Tally]:
        if organization not in self._tallies:
            scope = {"organization": organization, "project": "", "workspace": ""}
            self._tallies[organization] = await self.store.read(TALLIES, **scope)
        return self._tallies[organization]
