"""Entities, plans and the rest as people and programs read them."""

import hashlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from setpoint.api.observations import Seen
from setpoint.engine.draft import etag
from setpoint.engine.entity import AnyEntity, Declared, Status

AnyJson = Any


@lru_cache(256)  # What happened together is told together.
def moment(at: float) -> str | None:
    """RFC 3339; None for never."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds") if at else None


def shown(entity: AnyEntity, seen: Seen) -> dict[str, AnyJson]:
    """One object: `kind`, `metadata`, `spec`, `status`."""
    rows = shown_rows(entity.declared, entity.status)
    return {**rows, "status": {**rows["status"], **shown_seen(seen)}}


def shown_rows(declared: Declared, status: Status) -> dict[str, AnyJson]:
    """What its two rows say; the times of its observations, which no row knows, come last."""
    scope = {
        key: value
        for key, value in msgspec.to_builtins(declared.scope).items()
        if value and key != declared.kind
    }
    return {
        "kind": declared.kind,
        "metadata": {
            "name": declared.name,
            **scope,
            "ref": declared.ref,
            "labels": declared.labels,
            "generation": declared.generation,
            "protected": declared.protected,
            "deleting": declared.deleting,
            "owner": declared.owner,
            "created_at": moment(declared.created_at),
            "changed_at": moment(declared.changed_at),
            "changed_by": declared.changed_by,
        },
        "spec": declared.spec,
        "status": shown_status(status),
    }


def shown_status(status: Status) -> dict[str, AnyJson]:
    return {
        "state": status.state,
        "reason": status.reason,
        "since": moment(status.since),
        "observed_generation": status.generation,
        "conditions": [
            {**msgspec.to_builtins(condition), "since": moment(condition.since)}
            for condition in status.conditions
        ],
        "facts": status.facts,
        "failures": status.failures,
        "plan": status.plan,
    }


def shown_seen(seen: Seen) -> dict[str, AnyJson]:
    """The rest of a status. A look that is due already is the next one, as of now."""
    return {"observed_at": moment(seen.at), "next_observation_at": moment(seen.next_at), "stale": seen.stale}


def answer(
    body: AnyJson, status: int = 200, *, entity: AnyEntity | None = None, location: str = ""
) -> Response:
    """JSON, with the entity's ETag where there is one: what was declared, a dot, and all that is shown."""
    raw = msgspec.json.encode(body)
    headers = {"ETag": f'"{etag(entity.declared)}.{tag_of(raw)}"'} if entity is not None else {}
    if location:
        headers["Location"] = location
    return Response(raw, status, headers=headers, media_type="application/json")


class Ready(Response):
    """JSON that was made before, with its tag."""

    media_type = "application/json"

    def __init__(self, raw: bytes, tag: str, status: int = 200) -> None:
        self.status_code, self.body, self.background, self.tag = status, raw, None, tag
        self.raw_headers = [
            (b"content-length", b"%d" % len(raw)),
            (b"content-type", b"application/json"),
            (b"etag", b'"%b"' % tag.encode()),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body})


def tag_of(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=12).hexdigest()
