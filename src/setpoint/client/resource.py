"""What the API hands out, as values. Bodies are kept as they came: a newer server's fields are not lost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from setpoint.client.address import Scope

AnyJson = Any
Body = Mapping[str, AnyJson]


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of object, as the server describes it."""

    body: Body

    @property
    def name(self) -> str:
        return str(self.body["name"])

    @property
    def plural(self) -> str:
        return str(self.body["plural"])

    @property
    def about(self) -> str:
        return str(self.body.get("about", ""))

    @property
    def level(self) -> str:
        return str(self.body["level"])

    @property
    def columns(self) -> Mapping[str, str]:
        return self.body.get("columns") or {}

    @property
    def every(self) -> float | None:
        return self.body.get("every")

    @property
    def schema(self) -> Body:
        return self.body.get("schema") or {}

    @property
    def by_machine(self) -> bool:
        """Declared by what it describes, never by people."""
        return bool(self.body.get("by_machine"))

    @property
    def example(self) -> Body:
        return self.body.get("example") or {}


@dataclass(frozen=True, slots=True)
class Object:
    """One declared object with its status."""

    body: Body

    @property
    def kind(self) -> str:
        return str(self.body.get("kind", ""))

    @property
    def metadata(self) -> Body:
        return self.body.get("metadata") or {}

    @property
    def status(self) -> Body:
        return self.body.get("status") or {}

    @property
    def spec(self) -> Body:
        return self.body.get("spec") or {}

    @property
    def name(self) -> str:
        return str(self.metadata.get("name", ""))

    @property
    def ref(self) -> str:
        return str(self.metadata.get("ref", ""))

    @property
    def scope(self) -> Scope:
        return Scope(*(str(self.metadata.get(key) or "") for key in ("organization", "project", "workspace")))

    @property
    def generation(self) -> int:
        return int(self.metadata.get("generation") or 0)

    @property
    def deleting(self) -> bool:
        return bool(self.metadata.get("deleting"))

    @property
    def owner(self) -> str:
        return str(self.metadata.get("owner") or "")

    @property
    def state(self) -> str:
        return str(self.status.get("state") or "PENDING")

    @property
    def reason(self) -> str:
        return str(self.status.get("reason") or "")

    @property
    def stale(self) -> str:
        """What is wrong where it was not observed for long; empty while its loop is alive."""
        return str(self.status.get("stale") or "")

    @property
    def observed_generation(self) -> int:
        return int(self.status.get("observed_generation") or 0)

    @property
    def plan(self) -> str:
        """Id of the held plan that waits for a person, if one does."""
        return str(self.status.get("plan") or "")

    @property
    def title(self) -> str:
        """`host web-1`: how sentences name it."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of a watch, with the object as it was then, or None when it is gone."""

    type: str
    revision: int
    at: str
    ref: str
    message: str
    object: Object | None
    body: Body


def happening_of(body: Body) -> Happening:
    found = body.get("object")
    return Happening(
        type=str(body.get("type", "")),
        revision=int(body.get("revision") or 0),
        at=str(body.get("at") or ""),
        ref=str(body.get("ref") or ""),
        message=str(body.get("message") or ""),
        object=Object(found) if found else None,
        body=body,
    )


def seconds_of(moment: AnyJson) -> float | None:
    """RFC 3339, or seconds, as seconds since the epoch."""
    if isinstance(moment, int | float) and not isinstance(moment, bool):
        return float(moment) or None
    try:
        return datetime.fromisoformat(str(moment)).timestamp() if moment else None
    except ValueError:
        return None
