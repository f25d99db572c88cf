"""FastAPI and uvicorn, doing the same: token by its hash, roles, schema, audit, event, one durable commit.

Written as its manual teaches: models in and out, dependencies, SQLite in the handlers, a transaction.
"""

import argparse
import hashlib
import json
import logging
import socket
import sqlite3
import tempfile
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from bench.api import trials
from bench.api.work import name, spec
from bench.process import Process
from bench.trial import Trial

log = logging.getLogger("channels")
TOKEN: Final = "for-the-bench"  # noqa: S105 - opens nothing but this server
SCHEMA: Final = """
CREATE TABLE token (hash TEXT PRIMARY KEY, subject TEXT, organization TEXT, verbs TEXT, expires_at REAL);
CREATE TABLE organization (name TEXT PRIMARY KEY, state TEXT);
CREATE TABLE past (ref TEXT, generation INTEGER, body TEXT, PRIMARY KEY (ref, generation));
CREATE TABLE channel (
    ref TEXT PRIMARY KEY, organization TEXT, name TEXT, body TEXT, UNIQUE (organization, name)
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


def app_on(file: Path) -> FastAPI:  # noqa: C901, PLR0915 - an application is a list of handlers
    app, base = FastAPI(), sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    base.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")

    async def subject(verb: str, authorization: str) -> str:
        secret = authorization.removeprefix("Bearer ")
        found = base.execute(
            "SELECT subject, verbs, expires_at FROM token WHERE hash = ?",
            (hashlib.sha256(secret.encode()).hexdigest(),),
        ).fetchone()
        if found is None or found[2] < time.time():
            raise HTTPException(401)
        if verb not in found[1].split():
            raise HTTPException(403)
        return str(found[0])

    async def reader(authorization: Annotated[str, Header()]) -> str:
        return await subject("read", authorization)

    async def creator(authorization: Annotated[str, Header()]) -> str:
        return await subject("create", authorization)

    @app.get("/v1/organizations/{organization}/notification_channels/{called}")
    async def one(organization: str, called: str, who: Annotated[str, Depends(reader)]) -> Object:
        sql = "SELECT body FROM channel WHERE organization = ? AND name = ?"
        found = base.execute(sql, (organization, called)).fetchone()
        if found is None:
            raise HTTPException(404)
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
    async def create(organization: str, sent: Declaration, who: Annotated[str, Depends(creator)]) -> Object:
        sql = "SELECT state FROM organization WHERE name = ?"
        if base.execute(sql, (organization,)).fetchone() != ("active",):
            raise HTTPException(404)
        made = _object(organization, sent.metadata.name, sent.spec.model_dump(), who)
        base.execute("BEGIN IMMEDIATE")
        try:
            _keep(base, organization, made, who)
        except sqlite3.IntegrityError as error:
            base.execute("ROLLBACK")
            raise HTTPException(409) from error
        base.execute("COMMIT")
        log.info("created %s by %s", made.metadata.ref, who)
        return made

    return app


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


def _keep(base: sqlite3.Connection, organization: str, made: Object, who: str) -> None:
    """The row, what it was declared as, its line in the audit chain and its event."""
    meta, body = made.metadata, made.model_dump_json()
    base.execute("INSERT INTO channel VALUES (?, ?, ?, ?)", (meta.ref, organization, meta.name, body))
    base.execute("INSERT INTO past VALUES (?, ?, ?)", (meta.ref, meta.generation, body))
    sql = "SELECT revision, hash FROM audit WHERE organization = ? ORDER BY revision DESC LIMIT 1"
    revision, last = base.execute(sql, (organization,)).fetchone() or (0, "")
    at = meta.created_at.timestamp()
    line = json.dumps({"actor": who, "action": "declared", "ref": meta.ref, "at": at})
    chained = hashlib.sha256((last + line).encode()).hexdigest()
    base.execute("INSERT INTO audit VALUES (?, ?, ?, ?)", (organization, revision + 1, line, chained))
    event = json.dumps({"type": "entity.declared", "ref": meta.ref, "at": at})
    base.execute("INSERT INTO event VALUES (?, ?, ?)", (organization, revision + 1, event))


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
        row = (made.metadata.ref, "acme", made.metadata.name, made.model_dump_json())
        base.execute("INSERT INTO channel VALUES (?, ?, ?, ?)", row)
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
