"""What happened in an organization, as it is on record; and the shape in which others are told of it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from setpoint.engine.rows import Event

AnyJson = Any


class Chronicle(Protocol):
    async def head(self, organization: str) -> int:
        """The revision that it stands at."""
        ...

    async def after(self, organization: str, revision: int, limit: int) -> Sequence[Event]:
        """Oldest first."""
        ...


class Silent:
    """A world in which nothing was ever told."""

    async def head(self, organization: str) -> int:
        return 0

    async def after(self, organization: str, revision: int, limit: int) -> Sequence[Event]:
        return ()


NOTHING_TOLD: Final = Silent()


def cloud_event(event: Event) -> dict[str, AnyJson]:
    """CloudEvents 1.0: `dev.setpoint.host.heartbeat_resumed.v1`; the id is the place in the record."""
    scope = {key: getattr(event.scope, key) for key in ("organization", "project", "workspace")}
    return {
        "specversion": "1.0",
        "id": f"{event.organization}/{event.revision}",
        "source": f"/v1/organizations/{event.organization}",
        "type": f"dev.setpoint.{event.type}.v1",
        "subject": event.ref,
        "time": datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds"),
        "datacontenttype": "application/json",
        "data": {
            "revision": event.revision,
            "kind": event.kind,
            "message": event.message,
            **{key: value for key, value in scope.items() if value},
        },
    }
