"""The API in a few lines: enough of the contract to drive every verb, over real sockets."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from client.scripted import Asked, Server, Told

AnyJson = Any
TOKEN = "for-these-tests-only"  # noqa: S105 - opens nothing
CREATED = "2026-11-15T12:00:00.000+00:00"
SCOPES = ("organization", "project", "workspace")


def kind(name: str, level: str, columns: dict[str, str] | None = None, **more: AnyJson) -> dict[str, AnyJson]:
    properties = {"size": {"type": "string", "description": "How large."}}
    shape = {"type": "object", "properties": properties, "required": []}
    return {
        "name": name,
        "plural": f"{name}s",
        "about": f"A {name}.",
        "level": level,
        "columns": columns or {},
        "every": 60.0,
        "schema": {"$ref": "#/$defs/Shape", "$defs": {"Shape": shape}},
        "example": {"size": "cx22"},
        **more,
    }


KINDS = [
    kind("organization", "installation"),
    kind("project", "organization"),
    kind("dns_zone", "project", {"DOMAIN": "spec.domain"}, adopts="host"),
    kind("host", "workspace", {"SIZE": "spec.size"}),
]


def thing(kind_name: str, name: str, scope: str = "acme/shop/prod", **more: AnyJson) -> dict[str, AnyJson]:
    """An object as the API hands it out; `state`, `reason`, `spec`, `plan` and metadata by name."""
    places = dict(zip(SCOPES, scope.split("/"), strict=False)) if scope else {}
    status = {
        "state": more.pop("state", "READY"),
        "reason": more.pop("reason", "as declared"),
        "since": CREATED,
        "observed_generation": more.pop("observed_generation", 1),
        "observed_at": CREATED,
        "conditions": more.pop("conditions", []),
        "facts": {},
        "plan": more.pop("plan", ""),
    }
    spec = more.pop("spec", {})
    metadata = {
        "name": name,
        **places,
        "ref": f"{kind_name}/{name}-id",
        "labels": {},
        "generation": 1,
        "protected": False,
        "deleting": "",
        "owner": "",
        "created_at": CREATED,
        **more,
    }
    return {"kind": kind_name, "metadata": metadata, "spec": spec, "status": status}


class FakeApi:
    """Objects by their path, answers by request, events by revision."""

    def __init__(self) -> None:
        self.objects: list[dict[str, AnyJson]] = [thing("organization", "acme", "")]
        self.answers: dict[tuple[str, str], Told | Callable[[Asked], Told]] = {}
        self.unsigned: dict[tuple[str, str], Told] = {}
        """What is answered to whoever shows no token."""
        self.lists: dict[str, list[AnyJson]] = {
            name: []
            for name in ("loops", "switches", "plans", "tasks", "events", "audit", "secrets", "contested")
        }
        self.planned: dict[str, AnyJson] = {}
        """What every dry run answers, besides its id and state."""
        self.outcomes: dict[str, dict[str, AnyJson]] = {}
        """Name -> the status a declared object ends in; READY if it is not named."""
        self.server = Server(self._answer)
        self._events: list[bytes] = []
        self._moved = threading.Condition()

    @property
    def asked(self) -> list[Asked]:
        return self.server.asked

    def happen(self, what: str, body: dict[str, AnyJson] | None, ref: str = "", message: str = "") -> None:
        """An event, as every watch will tell it."""
        with self._moved:
            revision = len(self._events) + 1
            ref = ref or (body["metadata"]["ref"] if body else "")
            event = {
                "type": what,
                "revision": revision,
                "at": CREATED,
                "ref": ref,
                "message": message,
                "object": body,
            }
            self._events.append(f"id: {revision}\nevent: {what}\ndata: {json.dumps(event)}\n\n".encode())
            self._moved.notify_all()

    def _answer(self, asked: Asked) -> Told:
        if asked.headers.get("Authorization") != f"Bearer {TOKEN}":
            unsigned = Told(401, {"detail": "no valid token was sent", "code": "unauthenticated"})
            return self.unsigned.get((asked.method, asked.path), unsigned)
        told = self.answers.get((asked.method, asked.path))
        if told is not None:
            return told(asked) if callable(told) else told
        if asked.query.get("watch"):
            return Told(stream=self._stream)
        if asked.method == "GET":
            return self._read(asked)
        return self._change(asked)

    def _stream(self, write: Callable[[bytes], None]) -> None:
        at = len(self._events)
        write(f": at {at}\nid: {at}\n\n".encode())
        while not self.server.closed.is_set():
            with self._moved:
                if len(self._events) == at:
                    self._moved.wait(0.05)
                new = self._events[at:]
            for raw in new:
                write(raw)
            at += len(new)

    def _read(self, asked: Asked) -> Told:  # noqa: PLR0911 - a table of answers
        tail = asked.path.rsplit("/", 1)[-1]
        if tail == "kinds":
            return _page(KINDS)
        if tail == "me":
            return Told(body={"name": "administrator", "roles": [{"role": "administrator", "scope": ""}]})
        if tail in self.lists:
            return _page(self.lists[tail])
        verb = tail.partition(":")[2]
        found = next((o for o in self.objects if _path(o) == asked.path.removesuffix(f":{verb}")), None)
        if found is not None:
            return Told(body=_why(found) if verb == "why" else found)
        if tail in {k["plural"] for k in KINDS}:
            return self._list(asked)
        if "/plans/" in asked.path:
            return Told(body={"id": tail, "state": "shown", "kind": "plan", "name": tail, **self.planned})
        return Told(404, {"detail": f"there is no {tail}", "code": "not_found"})

    def _list(self, asked: Asked) -> Told:
        scope, plural = asked.path.rsplit("/", 1)
        wanted = [
            found
            for found in self.objects
            if f"{found['kind']}s" == plural and _path(found).startswith(f"{scope}/")
            if asked.query.get("state") in (None, found["status"]["state"])
        ]
        size, after = int(asked.query["page_size"]), int(asked.query.get("page_token", 0))
        more = str(after + size) if after + size < len(wanted) else ""
        return Told(body={"items": wanted[after : after + size], "next_page_token": more})

    def _change(self, asked: Asked) -> Told:  # noqa: PLR0911 - as above
        if asked.path.endswith("/plans"):
            return Told(202, {"id": "dry", "state": "asked"})
        if asked.path.endswith("/declarations"):
            if asked.body.get("dry_run"):
                return Told(body=self._checked(asked.body))
            declared = asked.body["items"]
            return Told(body={"items": [self._declared(item) for item in declared]})
        if asked.method == "DELETE" and "/switches/" not in asked.path:
            found = next((o for o in self.objects if _path(o) == asked.path), None)
            if found is None:
                return Told(404, {"detail": "not there", "code": "not_found"})
            self.objects.remove(found)
            self.happen("entity.deleted", None, found["metadata"]["ref"], "gone, and confirmed gone")
            return Told(202, found)
        return Told(body={"kind": "x", "name": "y", "state": "done"})

    def _checked(self, body: dict[str, AnyJson]) -> dict[str, AnyJson]:
        """Whose the objects are that a batch mentions, and those of its owner that it does not."""
        named = {(item.get("kind"), (item.get("metadata") or {}).get("name")) for item in body["items"]}
        there = [(o, (o["kind"], o["metadata"]["name"]) in named) for o in self.objects]
        left = [
            o for o, mentioned in there if o["metadata"]["owner"] == body["owner"] != "" and not mentioned
        ]
        taken = Counter(o["metadata"]["owner"] for o, mentioned in there if mentioned)
        gone = [{**o, "metadata": {**o["metadata"], "deleting": "withdrawn"}} for o in left]
        return {
            "items": gone if body["prune"] else [],
            "unmentioned": {
                "count": len(left),
                "names": [f"{o['kind']} {o['metadata']['name']}" for o in left],
            },
            "taken_over": [
                {"owner": owner, "count": count}
                for owner, count in taken.items()
                if body["owner"] and owner not in ("", body["owner"])
            ],
        }

    def _declared(self, item: dict[str, AnyJson]) -> dict[str, AnyJson]:
        metadata = item["metadata"]
        scope = "/".join(metadata[key] for key in SCOPES if key in metadata)
        fresh = thing(item["kind"], metadata["name"], scope, spec=item.get("spec", {}))
        pending = {**fresh, "status": {**fresh["status"], "state": "PENDING", "observed_generation": 0}}
        ended = {**fresh, "status": {**fresh["status"], **self.outcomes.get(metadata["name"], {})}}
        self.objects = [o for o in self.objects if _path(o) != _path(ended)] + [ended]
        self.happen("entity.config_changed", pending)
        self.happen("entity.state_changed", ended)
        return pending


def _why(found: dict[str, AnyJson]) -> dict[str, AnyJson]:
    sentence = f"{found['metadata']['name']} is {found['status']['state']}: {found['status']['reason']}"
    return {"sentence": sentence, "chain": ["declared"], "next": ["setpoint x"], "evidence": {}}


def _page(items: list[AnyJson]) -> Told:
    return Told(body={"items": items, "next_page_token": ""})


def _path(found: dict[str, AnyJson]) -> str:
    metadata = found["metadata"]
    places = "".join(f"/{key}s/{metadata[key]}" for key in SCOPES if metadata.get(key))
    return f"/v1{places}/{found['kind']}s/{metadata['name']}"
