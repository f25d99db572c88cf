"""Requests that schemathesis makes from the contract, by three callers: every answer is in it, none an error.

`SETPOINT_FUZZ=20000 pytest -s tests/api/test_fuzz_documented.py` is the large dose.
"""

import asyncio
import contextlib
import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import ASGIApp, Message

from harness import ORGANIZATION
from setpoint.kinds import ALL

from .kit import Api, collection, settled, still

REQUESTS = int(os.environ.get("SETPOINT_FUZZ", "150"))
PATIENCE = 60.0
"""Seconds after which an answer does not come any more, on a machine that is busy with ten others."""
FEWEST = 4
"""Of one operation, by each caller."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ODD = ["nobody", "x", "a" * 70, "ä", "..", "%", "\u202e"]
THERE = {"organization": "acme", "project": "shop", "workspace": "prod", "code": "not_found"}
THERE |= {"key": "scope:acme/shop", "kinds": "host", "schemas": "host"}
THERE |= {"organizations": "acme", "projects": "shop", "workspaces": "prod"}
"""By what the address calls it, and names by the collection they stand in."""
SPARE = "spare"
"""What is taken away and what is blocked: all else must still be there for the next request."""
HEADERS = {
    "content-length": ["999999999999", "x"],
    "content-type": ["text/plain", "application/merge-patch+json", ""],
    "idempotency-key": ["", "x" * 300, "\xe4"],
    "if-match": ["*", ",,,", "x" * 300],
    "last-event-id": ["0", "x"],
    "traceparent": ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "junk"],
    "x-http-method-override": ["DELETE"],
    "x-request-id": ["r-1", "", "a b", "x" * 200],
}
"""What no contract makes anybody send."""
MANY = settings(
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[*HealthCheck],
)


@dataclass
class Heard:
    """All that was answered to one caller."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Caller:
    """Somebody who asks the live application in its own process."""

    name: str
    secret: str
    app: ASGIApp
    loop: asyncio.AbstractEventLoop
    heard: Heard = field(default_factory=Heard)

    def ask(self, case: Case, more: Mapping[str, str]) -> None:
        """One request; what is wrong with its answer is noted, and the next one is made."""
        sent = requests.Request(**_known(case.as_transport_kwargs("http://test"))).prepare()
        sent.headers.update(more)
        sent.headers.pop("Authorization", None)
        if self.secret:
            sent.headers["Authorization"] = f"Bearer {self.secret}"
        asked = asyncio.run_coroutine_threadsafe(answer(self.app, sent), self.loop)
        try:
            answered = asked.result(PATIENCE)
        except TimeoutError:
            asked.cancel()
            self.heard.wrong.append(f"{self.name} {sent.method} {sent.url} {sent.body!r:.300}: no answer")
            return
        self.heard.statuses[answered.status_code] += 1
        if case.operation.path == "/readyz":  # It says no in its own words: nobody looks after this world.
            return
        try:
            case.validate_response(answered, checks=CHECKS)
        except FailureGroup as group:
            told = "; ".join(str(each) for each in group.exceptions)
            self.heard.wrong.append(f"{self.name} {sent.method} {sent.url} {sent.body!r:.300}: {told}")
        if refused(case) and sent.body and answered.status_code < 400:
            self.heard.wrong.append(f"{self.name} {sent.method} {sent.url} {sent.body!r:.300}: was taken")


def _known(said: Mapping[str, Any]) -> dict[str, Any]:
    names = ("method", "url", "headers", "files", "data", "json", "params", "cookies")
    return {name: said[name] for name in names if said.get(name) is not None}


async def answer(app: ASGIApp, sent: requests.PreparedRequest) -> schemathesis.Response:
    """What the application says to this, however it was spelt."""
    path, _, query = sent.path_url.partition("?")
    body = sent.body.encode() if isinstance(sent.body, str) else sent.body or b""
    headers = [(name.lower().encode(), _bytes(value)) for name, value in sent.headers.items()]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": sent.method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"localhost"), *headers],
        "client": ("127.0.0.1", 1),
        "server": ("test", 80),
    }
    told: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        told.append(message)

    with contextlib.suppress(Exception):  # It was answered with 500 already, which is what counts.
        await app(scope, receive, send)
    return schemathesis.Response(
        status_code=told[0]["status"],
        headers={name.decode(): [value.decode("latin-1")] for name, value in told[0]["headers"]},
        content=b"".join(part.get("body", b"") for part in told[1:]),
        request=sent,
        elapsed=0.0,
        verify=False,
    )


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("latin-1", "replace")


@dataclass(frozen=True)
class Aim:
    """Points what schemathesis made more often than not at what is there: what is not found finds nothing."""

    chance: random.Random
    there: Mapping[str, str]

    def at(self, case: Case) -> dict[str, str]:
        """Headers to send besides; the case is changed in place."""
        operation = case.operation
        gone = operation.method == "delete" or operation.path.endswith(":standing")
        collection = re.sub(r"/{(name|id)}.*", "", operation.path).rpartition("/")[2]
        for name in case.path_parameters:
            known = self.there.get(collection if name in ("name", "id") else name, "new-one")
            usual = SPARE if gone else known
            case.path_parameters[name] = self.chance.choice(ODD) if self.chance.random() < 0.1 else usual
        if not refused(case) and self.chance.random() < 0.75:
            case.headers.clear()
            case.query.clear()
            case.body = _example(operation) or case.body
        case.query.pop("watch", None)  # A stream has no end, and what nobody works at is waited for in vain.
        case.query |= {"timeout": "0"} if operation.path.endswith(":wait") else {}
        return {
            name: self.chance.choice(values)
            for name, values in HEADERS.items()
            if self.chance.random() < 0.02
        }


def refused(case: Case) -> bool:
    """Whether its body is against the contract. What nobody reads after a question mark harms nobody."""
    body = case.meta.components.get(ParameterLocation.BODY) if case.meta else None
    return body is not None and body.mode is GenerationMode.NEGATIVE


def _example(operation: Any) -> Any:
    """The kind's own, where a kind is declared; what the address says need not be said again."""
    schemas = operation.schema.raw_schema["components"]["schemas"]
    for body in operation.body:
        kind = body.definition.get("schema", {}).get("$ref", "").rpartition("/")[2]
        if kind in schemas:
            return {"spec": schemas[kind]["examples"][0]["spec"]}
    return None


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Api]:
    async with still(tmp_path, credential_rate=0, organization_rate=0, log_requests=False) as api:
        assert (await api.declare(*settled())).status == 200
        await api.good("PUT", "/v1/organizations/spare", {"spec": {}})
        for kind in ALL:
            if not kind.by_machine:
                spec = {**kind.example, **({"domain": "new-one.example"} if kind.claims else {})}
                await api.good("PUT", f"{collection(kind)}/new-one", {"spec": spec})
        yield api


async def callers(api: Api) -> list[Caller]:
    """Whoever owns everything, a member of one project, and nobody."""
    app, loop = api.run.application.api, asyncio.get_running_loop()
    body = {"name": "bob", "role": "member", "project": "shop"}
    member = (await api.good("POST", f"{ORGANIZATION}/tokens", body))["token"]
    secrets = {"owner": api.run.token, "member": member, "nobody": ""}
    return [Caller(name, secret, app, loop) for name, secret in secrets.items()]


@pytest.mark.timeout(3600)
async def test_no_request_gets_an_answer_that_is_not_in_the_contract(world: Api) -> None:
    everybody = await callers(world)
    aim_at, document = THERE | await known(world), (await world.get("/openapi.json")).body
    schema = schemathesis.openapi.from_dict(document)
    chance = random.Random(REQUESTS)  # noqa: S311 - so that it can be run again
    operations = [found.ok() for found in schema.get_all_operations()]
    each = max(FEWEST, ceil(REQUESTS / len(everybody) / len(operations)))
    some = chance.sample(operations, min(len(operations), ceil(REQUESTS / len(everybody) / each)))
    aim = Aim(chance, aim_at)
    for operation in operations if each > FEWEST else some:
        await asyncio.to_thread(spoken, operation, everybody, aim, each)
    for caller in everybody:
        print(f"\n{caller.name}: {dict(sorted(caller.heard.statuses.items()))}")  # noqa: T201
    assert [wrong for caller in everybody for wrong in caller.heard.wrong][:20] == []
    for kind in (await world.get("/v1/kinds")).body["items"]:
        assert (await world.get(f"/v1/{kind['plural']}?page_size=500")).status == 200


async def known(api: Api) -> dict[str, str]:
    """Ids of what got its name from us."""
    plan = await api.good("POST", f"{ORGANIZATION}/plans", {"items": settled()})
    account = await api.good("POST", "/v1/accounts", {"email": "bob@acme.example"})
    return {"plans": plan["id"], "operations": plan["id"], "accounts": account["id"]}


def spoken(operation: Any, everybody: list[Caller], aim: Aim, each: int) -> None:
    """So many requests for one operation, each sent by everybody."""
    mode = st.sampled_from([GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE])

    @settings(MANY, max_examples=each)
    @given(mode.flatmap(lambda mode: operation.as_strategy(generation_mode=mode)))
    def speak(case: Case) -> None:
        more = aim.at(case)
        for caller in everybody:
            caller.ask(case, more)

    speak()
