"""The API as its callers reach it. Every answer that passes through here is looked into.

A refusal has the one shape there is, and nothing that must stay secret is in any answer."""

import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from multidict import CIMultiDictProxy
from starlette.routing import Route
from yarl import URL

from declarations import setting
from enrolments import private_half
from foreign import ear_of, more_belongings, send
from harness import ORGANIZATION, PROJECT, TOKEN, WORKSPACE, client, control_plane
from setpoint.engine.kind import Kind
from setpoint.engine.store import Store
from setpoint.up import Running

AnyJson = Any
PLACES = {"installation": "/v1", "organization": ORGANIZATION, "project": PROJECT, "workspace": WORKSPACE}
NOWHERE = "http://127.0.0.1:9/v1"
TEXTS = ("type", "title", "code", "detail", "instance", "trace_id")
MEMBERS = {**dict.fromkeys(TEXTS, str), "status": int, "retryable": bool}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: CIMultiDictProxy[str]
    raw: bytes

    @property
    def body(self) -> AnyJson:
        return json.loads(self.raw)

    @property
    def said(self) -> bytes:
        """The body, but for what tells this request from the next one."""
        return re.sub(rb'"trace_id":"[0-9a-f]+",', b"", self.raw)

    @property
    def mistakes(self) -> set[tuple[str, str]]:
        """(pointer, code) of everything that was wrong."""
        return {(error["pointer"], error["code"]) for error in self.body["errors"]}

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.body["items"]]


@dataclass
class Api:
    """A control plane in this process and a way to talk to it."""

    url: str
    data: Path
    run: Running
    session: aiohttp.ClientSession
    secrets: tuple[str, ...]
    answered: list[Answer] = field(default_factory=list)

    async def call(self, method: str, path: str, body: AnyJson = None, **options: Any) -> Answer:
        """Any request; `data`, `headers` and the like go to the client as they are."""
        if body is not None:
            options["json"] = body
        async with self.session.request(method, self.address(path), **options) as response:
            answer = Answer(response.status, response.headers, await response.read())
        inspect(answer, self.secrets)
        self.answered.append(answer)
        return answer

    def address(self, path: str) -> URL:
        """A path that is encoded already goes out as it is."""
        return URL(self.url + path, encoded="%" in path)

    async def get(self, path: str, **options: Any) -> Answer:
        return await self.call("GET", path, **options)

    async def good(self, method: str, path: str, body: AnyJson = None, **options: Any) -> AnyJson:
        answer = await self.call(method, path, body, **options)
        assert answer.status < 300, f"{method} {path}: {answer.status} {answer.raw.decode()}"
        return answer.body if answer.raw else None

    async def declare(self, *items: AnyJson, **more: Any) -> Answer:
        return await self.call("POST", f"{ORGANIZATION}/declarations", {"items": list(items), **more})

    @property
    def store(self) -> Store:
        return self.run.application.scheduler.store

    @property
    def routes(self) -> list[Route]:
        """Every route of the live application."""
        return [route for route in self.run.application.api.routes if isinstance(route, Route)]


def inspect(answer: Answer, secrets: tuple[str, ...]) -> None:
    """What holds for every answer, whoever asked for whatever."""
    shown = answer.raw + repr(answer.headers).encode()
    assert not [secret for secret in secrets if secret.encode() in shown], answer
    assert answer.status < 500 or answer.status == 503, answer
    assert answer.headers["X-Request-Id"], answer
    own = ("application/json", "text/plain; charset=utf-8") if answer.status == 503 else ("application/json",)
    if answer.status >= 400 and answer.raw and answer.headers["Content-Type"] not in own:
        assert answer.headers["Content-Type"] == "application/problem+json", answer
        problem = answer.body
        assert {name: type(problem.get(name)) for name in MEMBERS} == MEMBERS, problem
        assert problem["status"] == answer.status
        assert problem["detail"], problem
        assert re.fullmatch(r"[0-9a-f]{32}", problem["trace_id"]), problem
        for error in problem.get("errors", []):
            assert error["pointer"] == "" or error["pointer"].startswith("/"), error
            assert error["message"], error


@contextlib.asynccontextmanager
async def serving(data: Path, **settings: Any) -> AsyncIterator[Api]:
    """The whole control plane; the secret of its provider is in the folder."""
    async with control_plane(data, **settings) as (plane, run):
        signing = (await private_half(run.application.scheduler.store, data)).hex()
        yield Api(plane.url, data, run, plane.session, (TOKEN, run.token, signing))


@contextlib.asynccontextmanager
async def still(data: Path, **settings: Any) -> AsyncIterator[Api]:
    """The API alone: scheduler and worker rest, so nothing changes but by requests."""
    async with serving(data, **settings) as api:
        api.run.application.scheduling.stop()
        api.run.application.working.stop()
        foreign = ear_of(api.run).name
        items = {"items": more_belongings(foreign)}
        await send(api.run, f"/v1/organizations/{foreign}/declarations", items)
        yield api


@contextlib.asynccontextmanager
async def as_other(api: Api, token: str) -> AsyncIterator[Api]:
    """The same API for somebody with another token."""
    async with client(api.url, token) as session:
        yield Api(api.url, api.data, api.run, session, api.secrets)


def settled() -> list[AnyJson]:
    """Everything that the kinds' own examples name."""
    return [
        *setting(NOWHERE),
        thing("workspace", "prod", {"provider": "hetzner"}, project="shop"),
        thing("dns_zone", "example-org", {"provider": "hetzner", "domain": "example.org"}, project="shop"),
        channel("hooks"),
    ]


def thing(kind: str, name: str, spec: Mapping[str, AnyJson], **metadata: AnyJson) -> AnyJson:
    return {"kind": kind, "metadata": {"name": name, **metadata}, "spec": dict(spec)}


def channel(name: str, **metadata: AnyJson) -> AnyJson:
    spec = {"url": "https://hooks.example.org/", "secret": "secret://hooks"}
    return thing("notification_channel", name, spec, **metadata)


def watched(name: str, *depends_on: str) -> AnyJson:
    spec = {"probe": "http", "target": "http://127.0.0.1:9/", "depends_on": list(depends_on)}
    return thing("monitoring_object", name, spec, project="shop")


def collection(kind: Kind) -> str:
    return f"{PLACES[kind.level]}/{kind.plural}"


async def everything(api: Api) -> dict[str, Any]:
    """All that is declared and all that was told: what must not move when a request is refused."""
    kinds = [kind["plural"] for kind in (await api.get("/v1/kinds")).body["items"]]
    lists = {plural: (await api.get(f"/v1/{plural}?page_size=500")).body for plural in kinds}
    return {**lists, "events": (await api.get(f"{ORGANIZATION}/events?page_size=500")).body}
