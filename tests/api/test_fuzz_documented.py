"""Thousands of requests made from the contract, by three callers: every answer is in it, none is an error.

`SETPOINT_FUZZ=20000 pytest -s tests/api/test_fuzz_documented.py` is the large dose.
"""

import contextlib
import json
import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from starlette.types import ASGIApp, Message

from harness import ORGANIZATION

from .kit import Api, settled, still

REQUESTS = int(os.environ.get("SETPOINT_FUZZ", "200"))
CANARY = "canary-of-acme"
NAMES = ["acme", "shop", "prod", "hetzner", "example-org", "hooks", "other", "nobody", "x", "a" * 70]
NAMES += ["ä", "..", "%"]
WORDS = ["", "true", "false", "0", "1", "-1", "9" * 40, "READY", "name", "created desc", "spec.x", "*"]
WORDS += ["null", "\x00", "\ud7ff"]
FILTERS = ['state == "READY"', "spec.x > ", "!(a)", "true && false", "labels.a in [1]", "((((", '"']
HEADERS = {
    "if-match": ["*", '"x"', "W/x", ",,,", "x" * 300],
    "if-none-match": ["*", '"x"', ""],
    "idempotency-key": ["k", "k2", "", "x" * 300, "\xe4"],
    "x-request-id": ["r-1", "", "a b", "x" * 200],
    "traceparent": ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "junk"],
    "last-event-id": ["0", "x"],
    "content-type": ["application/json", "text/plain", "application/merge-patch+json", ""],
    "content-length": ["999999999999", "x"],
    "x-http-method-override": ["DELETE"],
}
THERE = {"organization": ["acme", "other"], "project": ["shop"], "workspace": ["prod"]}
THERE["name"] = ["hooks", "hetzner", "example-org", "shop", "prod", "acme", "host", "file", "new-one"]
KEYS = ["reason", "mode", "name", "role", "items", "digest", "metadata", "spec", "delivery", "limits"]
SCALARS = [
    None,
    True,
    False,
    0,
    -1,
    2**70,
    1.5,
    "",
    "acme",
    "secret://hooks",
    "x" * 2000,
    [],
    {},
    "\u202e",
    "\uff46",
]


@dataclass
class Asked:
    method: str
    target: str
    headers: list[tuple[bytes, bytes]]
    body: bytes


@dataclass
class Heard:
    status: int
    headers: dict[str, str]
    raw: bytes


async def ask(app: ASGIApp, asked: Asked) -> Heard:
    path, _, query = asked.target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": path,
        "raw_path": quote(path, safe="/%:{}").encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"test"), *asked.headers],
        "client": ("127.0.0.1", 1),
        "server": ("test", 80),
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": asked.body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    with contextlib.suppress(Exception):  # It was answered with 500 already, which is what counts.
        await app(scope, receive, send)
    headers = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return Heard(sent[0]["status"], headers, b"".join(part.get("body", b"") for part in sent[1:]))


@dataclass
class Fuzzer:
    """Makes requests from the document; whatever it draws is drawn again from the same seed."""

    document: Any
    chance: random.Random
    schemas: dict[str, Any] = field(default_factory=dict)

    def asked(self, secret: str) -> tuple[str, Any, Asked]:
        path = self.chance.choice(list(self.document["paths"]))
        method = self.chance.choice(list(self.document["paths"][path]))
        operation = self.document["paths"][path][method]
        target = re.sub(r"{(\w+)}", lambda found: self._name(found[1]), path)
        query = [self._query(each["name"]) for each in operation["parameters"] if each["in"] == "query"]
        wanted = [each for each in query if self.chance.random() < 0.25 and not each.startswith("watch")]
        target += f"?{'&'.join(wanted)}" if wanted else ""
        headers = [(b"authorization", f"Bearer {secret}".encode())] if secret else []
        for name, values in HEADERS.items():
            if self.chance.random() < 0.12:
                headers.append((name.encode(), self.chance.choice(values).encode("latin-1")))
        return path, operation, Asked(method.upper(), target, headers, self._body(operation))

    def _name(self, called: str) -> str:
        """What is there more often than not: whatever is not found finds nothing."""
        return self.chance.choice(THERE.get(called, NAMES) if self.chance.random() < 0.7 else NAMES)

    def _query(self, name: str) -> str:
        words = FILTERS if name == "filter" and self.chance.random() < 0.7 else WORDS
        return f"{name}={quote(self.chance.choice(words).encode('utf-8', 'replace'))}"

    def _body(self, operation: Any) -> bytes:
        content = operation.get("requestBody", {}).get("content", {})
        schema = next((each["schema"] for each in content.values()), None)
        roll = self.chance.random()
        if roll < 0.1:
            return self.chance.choice([b"", b"{", b"[]", b"\xff", b"null", b"[" * 200 + b"]" * 200])
        if schema is None or roll < 0.4:
            return json.dumps(self._junk(3)).encode("utf-8", "replace")
        return json.dumps(self._like(schema, 6)).encode("utf-8", "replace")

    def _junk(self, depth: int) -> Any:
        if depth == 0 or self.chance.random() < 0.3:
            return self.chance.choice(SCALARS)
        return {self.chance.choice(KEYS): self._junk(depth - 1) for _ in range(self.chance.randint(0, 3))}

    def _like(self, schema: Any, depth: int) -> Any:
        """Mostly what the schema says, sometimes not: what is nearly right finds most."""
        if "$ref" in schema:
            return self._like(self._resolved(schema["$ref"]), depth)
        if depth == 0 or self.chance.random() < 0.06:
            return self.chance.choice(SCALARS)
        if "const" in schema or "enum" in schema:
            return schema.get("const", self.chance.choice(schema.get("enum", [""])))
        if "anyOf" in schema:
            return self._like(self.chance.choice(schema["anyOf"]), depth)
        makers: dict[Any, Callable[[], Any]] = {
            "object": lambda: self._object(schema, depth),
            "array": lambda: [self._like(schema.get("items") or {}, depth - 1)] * self.chance.randint(0, 2),
            "integer": lambda: self.chance.choice([0, 1, 2, 60, 300, -5]),
            "number": lambda: self.chance.choice([0, 0.5, 1, 300]),
            "boolean": lambda: self.chance.random() < 0.5,
        }
        maker = makers.get(schema.get("type"))
        return maker() if maker else self.chance.choice([*NAMES, "secret://hooks", "https://example.org/"])

    def _object(self, schema: Any, depth: int) -> Any:
        needed = set(schema.get("required", ()))
        fields = schema.get("properties", {})
        wanted = [key for key in fields if key in needed or self.chance.random() < 0.4]
        return {key: self._like(fields[key], depth - 1) for key in wanted}

    def _resolved(self, ref: str) -> Any:
        node = self.document
        for part in ref.removeprefix("#/").split("/"):
            node = node[part]
        return node


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Api]:
    async with still(tmp_path, credential_rate=0, organization_rate=0, log_requests=False) as api:
        assert (await api.declare(*settled())).status == 200
        marked = {"metadata": {"labels": {"secret-of-acme": CANARY}}}
        await api.good("PATCH", f"{ORGANIZATION}/notification_channels/hooks", marked)
        await api.good("PUT", "/v1/organizations/other", {"spec": {}})
        yield api


async def callers(api: Api) -> dict[str, str]:
    """Whoever runs it, an owner of another organization, and nobody."""
    body = {"name": "eve", "role": "owner"}
    other = (await api.call("POST", "/v1/organizations/other/tokens", body)).body["token"]
    return {"administrator": api.run.token, "stranger": other, "nobody": ""}


def documented(operation: Any, heard: Heard) -> bool:
    """Whether the contract says that there are such answers."""
    known = operation["responses"]
    said = known.get(str(heard.status)) or known.get(f"{heard.status // 100}XX")
    if said is None:
        return False
    kind = heard.headers.get("content-type", "").partition(";")[0]
    return not heard.raw or kind in said.get("content", {})


def judged(path: str, operation: Any, heard: Heard, problem: Any) -> Iterator[str]:
    """What is wrong with an answer."""
    if heard.status >= 500 and path != "/readyz":
        yield f"{heard.status} {heard.raw!r}"
    if not documented(operation, heard) and heard.status not in (404, 405):
        yield f"{heard.status} {heard.headers.get('content-type')} is not in the contract"
    if heard.status >= 400:
        yield from (str(error) for error in problem.iter_errors(json.loads(heard.raw)))


async def test_no_request_gets_an_answer_that_is_not_in_the_contract(world: Api) -> None:
    app = world.run.application.api
    document = (await world.get("/openapi.json")).body
    problem = jsonschema_rs.validator_for(document["components"]["schemas"]["problem"])
    fuzzer = Fuzzer(document, random.Random(REQUESTS))  # noqa: S311 - a seed, so that it can be run again
    who = await callers(world)
    statuses: Counter[int] = Counter()
    wrong: list[str] = []
    for number in range(REQUESTS):
        caller = list(who)[number % len(who)]
        path, operation, asked = fuzzer.asked(who[caller])
        heard = await ask(app, asked)
        statuses[heard.status] += 1
        doubts = [*judged(path, operation, heard, problem)]
        doubts += ["the canary"] if caller != "administrator" and CANARY.encode() in heard.raw else []
        wrong += [f"{number} {caller} {asked}: {each}" for each in doubts]
    print(f"\n{REQUESTS} requests by {len(who)} callers: {dict(sorted(statuses.items()))}")  # noqa: T201
    assert wrong[:20] == []
    for kind in (await world.get("/v1/kinds")).body["items"]:
        assert (await world.get(f"/v1/{kind['plural']}?page_size=500")).status == 200
