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
REHEARSED: Final = 100  # Each pass of such a page is judged before the answer comes.


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

    def file_schema(self) -> Body:
        """JSON Schema of a whole file."""
        return dict(self.connection.get("/schemas/file.json"))

    def schema(self, kind: Kind) -> Body:
        """JSON Schema of one declaration of this kind."""
        return dict(self.connection.get(f"/schemas/{segment(kind.name)}.json"))

    def loops(self) -> list[Body]:
        return list(self.items(f"{ROOT}/loops"))

    def guards(self) -> Body:
        """The table of guards, and the limits with their values in force."""
        return dict(self.connection.get(f"{ROOT}/guards"))

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

    def why(self, kind: Kind, scope: Scope, name: str, item: str = "") -> Body:
        """About one object, or about one item of it."""
        path = object_path(scope.up_to(kind.level), kind.plural, name, "why")
        return dict(self.connection.get(path, {"item": item}))

    def pause(self, kind: Kind, target: Object, wanted: Body) -> AnyJson:
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name, "pause")
        return self.connection.send("POST", path, wanted).body

    def resume(self, kind: Kind, target: Object) -> AnyJson:
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name, "resume")
        return self.connection.send("POST", path, {}).body

    def decide_item(self, kind: Kind, target: Object, verb: str, wanted: Body) -> Body:
        """`release` or `protect`, with the item and the reason."""
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name, verb)
        return dict(self.connection.send("POST", path, wanted).body)

    def adopt(self, kind: Kind, target: Object, wanted: Body) -> tuple[Object, ...]:
        """Declares what this object lists as unknown: those named, or all of them."""
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name, "adopt")
        return tuple(Object(body) for body in self.connection.send("POST", path, wanted).body["items"])

    def delete(self, kind: Kind, target: Object, *, cascade: bool) -> Object:
        path = object_path(target.scope.up_to(kind.level), kind.plural, target.name)
        # Some kinds are changed only by who says which version; whoever deletes one means it as it is now.
        now, rest = {"If-Match": "*"}, "?cascade=true" if cascade else ""
        return Object(self.connection.send("DELETE", path + rest, headers=now).body)

    def declare(self, organization: str, batch: Batch) -> tuple[Object, ...]:
        path = f"{Scope(organization).path}/declarations"
        answer = self.connection.send("POST", path, batch.body).body
        return tuple(Object(body) for body in answer["items"])

    def check(self, organization: str, batch: Batch) -> Body:
        """Raises as `declare` would, and stores nothing; answers what would change, and whose that is."""
        path = f"{Scope(organization).path}/declarations"
        return dict(self.connection.send("POST", path, {**batch.body, "dry_run": True}).body)

    def ask_plan(self, organization: str, batch: Batch) -> Body:
        """Asks what declaring the batch would do; the answer is read with `plan`."""
        return dict(self.connection.send("POST", f"{Scope(organization).path}/plans", batch.body).body)

    def plan(self, organization: str, identity: str) -> Body:
        """One plan with all of its changes; those that the answer has no room for are read page by page."""
        path = f"{Scope(organization).path}/plans/{segment(identity)}"
        found = dict(self.connection.get(path))
        if not found.get("rest"):
            return found
        changes = list(self.items(f"{path}:changes"))
        said = {word: [each["item"] for each in changes if each[word]] for word in ("asked", "agreed")}
        return {**found, **said, "actions": changes, "rest": ""}

    def plans(self, organization: str, state: str = "") -> list[Body]:
        """In short: how many changes of which sort, and what holds them."""
        return list(self.items(f"{Scope(organization).path}/plans", {"state": state}))

    def contested(self, organization: str) -> list[Body]:
        """Items that another writer keeps changing back, each with the command that releases it."""
        return list(self.items(f"{Scope(organization).path}/contested"))

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

    def operations(self, organization: str) -> Iterator[Body]:
        return self.items(f"{Scope(organization).path}/operations")

    def operation(self, organization: str, identity: str, wait: int = 0) -> Body:
        """How far it is; with `wait`, when it is over or so many seconds later."""
        path = f"{Scope(organization).path}/operations/{segment(identity)}"
        query = {"timeout": str(wait)} if wait else None
        return dict(self.connection.get(f"{path}:wait" if wait else path, query))

    def cancel(self, organization: str, identity: str, reason: str) -> Body:
        path = f"{Scope(organization).path}/operations/{segment(identity)}:cancel"
        return dict(self.connection.send("POST", path, {"reason": reason}).body)

    def retry(self, organization: str, identity: str, reason: str) -> Body:
        """Begins a task once more that failed; answers with the new one."""
        path = f"{Scope(organization).path}/operations/{segment(identity)}:retry"
        return dict(self.connection.send("POST", path, {"reason": reason}).body)

    def deliveries(self, organization: str, webhook: str) -> Iterator[Body]:
        """What was told to a webhook, newest first."""
        return self.items(f"{Scope(organization).path}/webhooks/{segment(webhook)}/deliveries")

    def redeliver(self, organization: str, webhook: str, delivery: str) -> Body:
        path = f"{Scope(organization).path}/webhooks/{segment(webhook)}:redeliver"
        return dict(self.connection.send("POST", path, {"delivery": delivery}).body)

    def history(self, kind: Kind, scope: Scope, name: str) -> list[Body]:
        """What an object was declared as, newest first."""
        return list(self.items(f"{object_path(scope.up_to(kind.level), kind.plural, name)}/history"))

    def passes(self, organization: str, ref: str = "", size: int = PAGE) -> Iterator[Body]:
        """Recorded passes, newest first, in short; of one object where a ref is given."""
        query = {"ref": ref, "page_size": str(min(size, PAGE))}
        return self.items(f"{Scope(organization).path}/passes", query)

    def recorded(self, organization: str, identity: str) -> Body:
        """One pass with all the changes that it planned, which are read page by page."""
        path = f"{Scope(organization).path}/passes/{segment(identity)}"
        found = dict(self.connection.get(path))
        case = dict(found["case"])
        plan = {**case["plan"], "actions": list(self.items(f"{path}:changes"))}
        return {**found, "case": {**case, "plan": plan}}

    def replay(self, organization: str, identity: str) -> Body:
        """What the guards say today about what they saw then."""
        return dict(self.connection.get(f"{Scope(organization).path}/passes/{segment(identity)}:replay"))

    def rehearse(self, organization: str, wanted: Body) -> Iterator[Body]:
        """What other limits would have done, page after page of what is on record, as it is asked for."""
        path, token = f"{Scope(organization).path}/passes:rehearse", ""
        while True:
            asked = f"{path}?page_size={REHEARSED}" + (f"&page_token={segment(token)}" if token else "")
            page = dict(self.connection.send("POST", asked, wanted).body)
            yield page
            token = page.get("next_page_token") or ""
            if not token:
                return

    def me(self) -> Body:
        """Who the credential says we are."""
        return dict(self.connection.get(f"{ROOT}/me"))

    def can_i(self, query: Mapping[str, str]) -> Body:
        return dict(self.connection.get(f"{ROOT}/me:can-i", query))

    def who_can(self, organization: str, query: Mapping[str, str]) -> list[Body]:
        return list(self.items(f"{Scope(organization).path}/access:who-can", query))

    def roles(self) -> list[Body]:
        """Those that every organization begins with; its own are objects like any other."""
        return list(self.items(f"{ROOT}/roles:seeded"))

    def permissions(self) -> list[Body]:
        return list(self.items(f"{ROOT}/permissions"))

    def secrets(self, organization: str) -> Iterator[Body]:
        """Their names and versions; never what they say."""
        return self.items(f"{Scope(organization).path}/secrets")

    def set_secret(self, organization: str, name: str, wanted: Body) -> Body:
        path = f"{Scope(organization).path}/secrets/{segment(name)}"
        return dict(self.connection.send("PUT", path, wanted).body)

    def retire_secret(self, organization: str, name: str) -> Body:
        """Forgets the version before, once it is not needed any more."""
        path = f"{Scope(organization).path}/secrets/{segment(name)}:retire"
        return dict(self.connection.send("POST", path, {}).body)

    def delete_secret(self, organization: str, name: str) -> Body:
        path = f"{Scope(organization).path}/secrets/{segment(name)}"
        return dict(self.connection.send("DELETE", path).body)

    def verify(self, organization: str) -> Body:
        """Whether the audit chain of an organization, or without one of the installation, is whole."""
        return dict(self.connection.get(f"{Scope(organization).path}/audit:verify"))

    def records(self, organization: str, what: str, after: int) -> Iterator[Body]:
        """`events` or `audit` of an organization after a revision, oldest first."""
        since = {"page_token": str(after)} if after > 0 else {}
        return self.items(f"{Scope(organization).path}/{what}", since)

    def watch(self, scope: Scope, plural: str = "events", since: str = "") -> "Stream":
        # Here and not at the top: only those who follow need threads and sockets of their own.
        from setpoint.client.stream import Stream  # noqa: PLC0415

        return Stream(self.connection, collection(scope, plural), since)
