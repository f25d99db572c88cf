"""FastAPI and uvicorn, doing the same: token by its hash, roles, schema, audit, event, one durable commit.

Written as its manual teaches: models in and out, dependencies, SQLite in the handlers, a transaction, and a
middleware for what every answer has. `trials` sees to it that these are the headers that ours has.
"""

import argparse
import hashlib
import json
import logging
import re
import socket
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from bench.api import trials
from bench.api.work import name, spec
from bench.process import Process
from bench.trial import Trial

log = logging.getLogger("channels")
TOKEN: Final = "for-the-bench"  # noqa: S105 - opens nothing but this server
SAFE: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
PARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
LEAKS: Final = re.compile(r"setpoint_[a-z]{2,8}_|-----BEGIN [A-Z0-9 ]*PRIVATE KEY|AGE-SECRET-KEY-1")
RATE: Final = 1_000_000
WINDOW: Final = 10
SCHEMA: Final = """
CREATE TABLE token (hash TEXT PRIMARY KEY, subject TEXT, organization TEXT, verbs TEXT, expires_at REAL);
CREATE TABLE organization (name TEXT PRIMARY KEY, state TEXT);
CREATE TABLE past (ref TEXT, generation INTEGER, body TEXT, PRIMARY KEY (ref, generation));
CREATE TABLE channel (
    ref TEXT PRIMARY KEY, organization TEXT, name TEXT, body TEXT, tag TEXT, UNIQUE (organization, name)
);
CREATE TABLE audit (
    organization TEXT, revision INTEGER, body TEXT, hash TEXT, PRIMARY KEY (organization, revision)
);
CREATE TABLE event (organization TEXT, revision INTEGER, body TEXT, PRIMARY KEY (organization, revision));
"""


class Spec(BaseModel):
    """What is declared."""

    model_config = ConfigDict(extra="forbid")
    url: Annotated[str, Field(pattern=r"^https?://[^\s/]+(/\S*)?$", max_length=2000)]
    secret: Annotated[str, Field(pattern=r"^secret://[a-z0-9][a-z0-9._-]{0,62}$")]
    severities: Annotated[list[Literal["info", "warning", "critical"]], Field(min_length=1)] = ["info"]


class Named(BaseModel):
    """What it is called."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
    labels: dict[str, str] = {}


class Declaration(BaseModel):
    """A declaration as it is sent."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["notification_channel"]
    metadata: Named
    spec: Spec


class Metadata(Named):
    """What the server adds."""

    organization: str
    ref: str
    generation: int
    protected: bool
    deleting: str
    owner: str
    created_at: datetime
    changed_at: datetime
    changed_by: str


class Condition(BaseModel):
    """One thing that is so, or not."""

    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str
    since: datetime


class Status(BaseModel):
    """What is said of it."""

    state: str
    reason: str
    since: datetime
    observed_generation: int
    observed_at: datetime | None
    conditions: list[Condition]
    facts: dict[str, Any]
    plan: str


class Object(BaseModel):
    """One answer."""

    kind: str
    metadata: Metadata
    spec: Spec
    status: Status


class Page(BaseModel):
    """A list as it is answered."""

    items: list[Object]
    next_page_token: str


class Rates:
    """So many requests a second for each credential, out of a bucket that fills again."""

    def __init__(self) -> None:
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, credential: str, response: Response) -> None:
        now = time.monotonic()
        had, at = self._levels.get(credential, (float(RATE * WINDOW), now))
        left = min(RATE * WINDOW, had + (now - at) * RATE) - 1
        if left < 0:
            raise HTTPException(429)
        self._levels[credential] = (left, now)
        full = ceil((RATE * WINDOW - left) / RATE)
        response.headers["ratelimit-policy"] = f'"credential";q={RATE * WINDOW};w={WINDOW}'
        response.headers["ratelimit"] = f'"credential";r={int(left)};t={full}'


def app_on(file: Path) -> FastAPI:  # noqa: C901, PLR0915 - an application is a list of handlers
    app, base = FastAPI(), sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    base.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
    rates = Rates()

    @app.middleware("http")
    async def every(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        began, named = time.monotonic(), request.headers.get("x-request-id") or uuid.uuid4().hex
        parent = PARENT.match(request.headers.get("traceparent", ""))
        request.state.trace = parent[1] if parent else uuid.uuid4().hex
        response = await call_next(request)
        response.headers["x-request-id"] = named
        response.headers.update(SAFE)
        if request.method != "GET":
            took = (time.monotonic() - began) * 1000
            what = (request.method, request.url.path, response.status_code, took, named, request.state.trace)
            log.info("%s %s %d in %.1f ms, request %s, trace %s", *what)
        return response

    async def subject(verb: str, authorization: str, response: Response) -> str:
        secret = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).hexdigest()
        sql = "SELECT subject, verbs, expires_at FROM token WHERE hash = ?"
        found = base.execute(sql, (secret,)).fetchone()
        if found is None or found[2] < time.time():
            raise HTTPException(401)
        rates.take(secret, response)
        if verb not in found[1].split():
            raise HTTPException(403)
        return str(found[0])

    async def reader(authorization: Annotated[str, Header()], response: Response) -> str:
        return await subject("read", authorization, response)

    async def creator(authorization: Annotated[str, Header()], response: Response) -> str:
        return await subject("create", authorization, response)

    @app.get("/v1/organizations/{organization}/notification_channels/{called}")
    async def one(
        organization: str, called: str, who: Annotated[str, Depends(reader)], response: Response
    ) -> Object:
        sql = "SELECT body, tag FROM channel WHERE organization = ? AND name = ?"
        found = base.execute(sql, (organization, called)).fetchone()
        if found is None:
            raise HTTPException(404)
        response.headers["etag"] = found[1]
        return Object.model_validate_json(found[0])

    @app.get("/v1/organizations/{organization}/notification_channels")
    async def page(
        organization: str,
        who: Annotated[str, Depends(reader)],
        page_size: Annotated[int, Field(ge=1, le=500)] = 50,
        page_token: str = "",
    ) -> Page:
        sql = "SELECT body FROM channel WHERE organization = ? AND name > ? ORDER BY name LIMIT ?"
        found = base.execute(sql, (organization, page_token, page_size + 1)).fetchall()
        items = [Object.model_validate_json(body) for (body,) in found[:page_size]]
        more = items[-1].metadata.name if len(found) > page_size else ""
        return Page(items=items, next_page_token=more)

    @app.post("/v1/organizations/{organization}/notification_channels", status_code=201)
    async def create(
        organization: str,
        sent: Declaration,
        who: Annotated[str, Depends(creator)],
        request: Request,
        response: Response,
    ) -> Object:
        given = sent.spec.model_dump()
        if _leaks(given) or _leaks(sent.metadata.labels):
            raise HTTPException(422)
        sql = "SELECT state FROM organization WHERE name = ?"
        if base.execute(sql, (organization,)).fetchone() != ("active",):
            raise HTTPException(404)
        made = _object(organization, sent.metadata.name, given, who)
        base.execute("BEGIN IMMEDIATE")
        try:
            response.headers["etag"] = _keep(base, organization, made, request.state.trace)
        except sqlite3.IntegrityError as error:
            base.execute("ROLLBACK")
            raise HTTPException(409) from error
        base.execute("COMMIT")
        return made

    return app


def _leaks(value: Any) -> bool:
    """Whether something in it looks like a secret, whatever its field is called."""
    if isinstance(value, str):
        return LEAKS.search(value) is not None
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_leaks(each) for each in inner)


def _object(organization: str, called: str, given: dict[str, Any], who: str) -> Object:
    now = datetime.now(UTC)
    metadata = {
        "name": called,
        "organization": organization,
        "ref": f"notification_channel/{uuid.uuid4().hex}",
        "generation": 1,
        "protected": False,
        "deleting": "",
        "owner": "",
        "created_at": now,
        "changed_at": now,
        "changed_by": who,
    }
    status = {
        "state": "READY",
        "reason": "as declared; it has no loop of its own",
        "since": now,
        "observed_generation": 1,
        "observed_at": None,
        "conditions": [],
        "facts": {},
        "plan": "",
    }
    body = {"kind": "notification_channel", "metadata": metadata, "spec": given, "status": status}
    return Object.model_validate(body)


def _keep(base: sqlite3.Connection, organization: str, made: Object, trace: str) -> str:
    """The row, what it was declared as, its line in the audit chain and its event; the tag of all that."""
    meta, body = made.metadata, made.model_dump_json()
    row = (meta.ref, organization, meta.name, body, _tag(body))
    base.execute("INSERT INTO channel VALUES (?, ?, ?, ?, ?)", row)
    base.execute("INSERT INTO past VALUES (?, ?, ?)", (meta.ref, meta.generation, body))
    sql = "SELECT revision, hash FROM audit WHERE organization = ? ORDER BY revision DESC LIMIT 1"
    revision, last = base.execute(sql, (organization,)).fetchone() or (0, "")
    at, who = meta.created_at.timestamp(), meta.changed_by
    line = json.dumps({"actor": who, "action": "declared", "ref": meta.ref, "at": at, "trace": trace})
    chained = hashlib.sha256((last + line).encode()).hexdigest()
    base.execute("INSERT INTO audit VALUES (?, ?, ?, ?)", (organization, revision + 1, line, chained))
    event = json.dumps({"type": "entity.declared", "ref": meta.ref, "at": at})
    base.execute("INSERT INTO event VALUES (?, ?, ?)", (organization, revision + 1, event))
    return row[-1]


def _tag(body: str) -> str:
    return f'"{hashlib.blake2b(body.encode(), digest_size=12).hexdigest()}"'


def filled(file: Path, size: int) -> None:
    base = sqlite3.connect(file)
    base.executescript(SCHEMA)
    token = hashlib.sha256(TOKEN.encode()).hexdigest()
    later = time.time() + 86_400
    base.execute(
        "INSERT INTO token VALUES (?, ?, ?, ?, ?)", (token, "bench", "acme", "read create update", later)
    )
    base.execute("INSERT INTO organization VALUES ('acme', 'active')")
    for number in range(size):
        made = _object("acme", name(number), spec(number), "bench")
        body = made.model_dump_json()
        row = (made.metadata.ref, "acme", made.metadata.name, body, _tag(body))
        base.execute("INSERT INTO channel VALUES (?, ?, ?, ?, ?)", row)
    base.commit()
    base.close()


def reads(size: int) -> Trial:
    return trials.reads(_server(size), size)


def writes(size: int) -> Trial:
    return trials.writes(_server(size), size)


def pages(size: int) -> Trial:
    return trials.pages(_server(size), size)


def _server(size: int) -> Process:
    return Process(("--size", str(size)), module="bench.api.fast")


def serve(app: Any, ready_file: str) -> None:
    """On a free port, without access logs; says where in a file."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s")
    taken = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    Path(ready_file).write_text(json.dumps({"url": url, "token": TOKEN}))
    config = uvicorn.Config(app, access_log=False, log_level="warning", timeout_keep_alive=75)
    uvicorn.Server(config).run(sockets=[taken])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--ready-file", required=True)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-fast-") as folder:
        file = Path(folder) / "fast.db"
        filled(file, wanted.size)
        serve(app_on(file), wanted.ready_file)


if __name__ == "__main__":
    main()
