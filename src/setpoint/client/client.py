"""The API as methods: one for each thing it can be asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from setpoint.client.address import ROOT, Scope, collection, object_path, segment
from setpoint.client.connection import Connection
from setpoint.client.resource import Body, Kind, Object

if TYPE_CHECKING:
    from setpoint.client.stream import Stream

AnyJson = Any
PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Batch:
    """Declarations that belong together, and who they belong to."""

    items: Sequence[Body]
    owner: str = ""
    prune: bool = False

    @property
    def body(self) -> dict[str, AnyJson]:
        return {"items": list(self.items), "owner": self.owner, "prune": self.prune}


class Client:
    """Everything the API can be asked, in the words of the API."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def close(self) -> None:
        self.connection.close()

    def kinds(self) -> tuple[Kind, ...]:
        return tuple(Kind(body) for body in self.connection.get(f"{ROOT}/kinds")["items"])

    def loops(self) -> list[Body]:
        return list(self.items(f"{ROOT}/loops"))

    def objects(self, kind: Kind, scope: Scope, query: Mapping[str, str] | None = None) -> Iterator[Object]:
        """All of one kind below a scope, page after page, as they are asked for."""
        return (Object(body) for body in self.items(collection(scope, kind.plural), query))

    def items(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[Body]:
        """Everything in a list, page after page, as it is asked for."""
        asked = {"page_size": str(PAGE), **(query or {})}
        while True:
            page = self.connection.get(path, asked)
            yield from page["items"]
            if not page.get("next_page_token"):
                return
            asked["page_token"] = page["next_page_token"]

    def read(self, kind: Kind, scope: Scope, name: str) -> Object:
        return Object(self.connection.get(object_path(scope.up_to(kind.level), kind.plural, name)))

    def why(self, kind: Kind, scope: Scope, name: str) -> Body:
        path = object_path(scope.up_to(kind.level), kind.plural, name, "why")
        return dict(self.connection.get(path))

    def pause(self, kind: Kind, target: Object, wanted: Body) -> AnyJson:
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name, "pause")
        return self.connection.send("POST", path, wanted).body

    def resume(self, kind: Kind, target: Object) -> AnyJson:
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name, "resume")
        return self.connection.send("POST", path, {}).body

    def delete(self, kind: Kind, target: Object, *, cascade: bool) -> Object:
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name)
        return Object(self.connection.send("DELETE", path + ("?cascade=true" if cascade else "")).body)

    def declare(self, organization: str, batch: Batch) -> tuple[Object, ...]:
        path = f"{Scope(organization).path}/declarations"
        answer = self.connection.send("POST", path, batch.body).body
        return tuple(Object(body) for body in answer["items"])

    def ask_plan(self, organization: str, batch: Batch) -> Body:
        """Asks what declaring the batch would do; the answer is read with `plan`."""
        return dict(self.connection.send("POST", f"{Scope(organization).path}/plans", batch.body).body)

    def plan(self, organization: str, identity: str) -> Body:
        return dict(self.connection.get(f"{Scope(organization).path}/plans/{segment(identity)}"))

    def plans(self, organization: str, state: str = "") -> list[Body]:
        return list(self.items(f"{Scope(organization).path}/plans", {"state": state}))

    def decide(self, organization: str, identity: str, verb: str, wanted: Body) -> Body:
        """`approve` or `reject`, with the reason; an approval names the digest that was shown."""
        path = f"{Scope(organization).path}/plans/{segment(identity)}:{verb}"
        return dict(self.connection.send("POST", path, wanted).body)

    def switches(self) -> list[Body]:
        return list(self.items(f"{ROOT}/switches"))

    def set_switch(self, key: str, wanted: Body) -> Body:
        return dict(self.connection.send("PUT", f"{ROOT}/switches/{segment(key)}", wanted).body)

    def clear_switch(self, key: str) -> Body:
        return dict(self.connection.send("DELETE", f"{ROOT}/switches/{segment(key)}").body)

    def tasks(self, organization: str) -> Iterator[Body]:
        return self.items(f"{Scope(organization).path}/tasks")

    def task(self, organization: str, identity: str) -> Body:
        return dict(self.connection.get(f"{Scope(organization).path}/tasks/{segment(identity)}"))

    def records(self, organization: str, what: str, after: int) -> Iterator[Body]:
        """`events` or `audit` of an organization after a revision, oldest first."""
        since = {"page_token": str(after)} if after > 0 else {}
        return self.items(f"{Scope(organization).path}/{what}", since)

    def watch(self, scope: Scope, plural: str = "events", since: str = "") -> "Stream":
        # Here and not at the top: only those who follow need threads and sockets of their own.
        from setpoint.client.stream import Stream  # noqa: PLC0415

        return Stream(self.connection, collection(scope, plural), since)
