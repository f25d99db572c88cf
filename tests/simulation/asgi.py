"""Calling an application in this process, as a web server would."""

from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from starlette.types import ASGIApp

from setpoint.providers.wire import Asked, Reply


async def called(app: ASGIApp, asked: Asked) -> Reply:
    """The whole reply."""
    parts = urlsplit(asked.url)
    query = "&".join(filter(None, (parts.query, urlencode(asked.params or {}))))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": parts.scheme,
        "server": (parts.hostname, parts.port or 80),
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in asked.headers.items()],
    }
    told: list[dict[str, Any]] = []
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": asked.body or b"", "more_body": False}

    async def send(message: Any) -> None:
        told.append(message)

    await app(scope, receive, send)
    start = told[0]
    whole = b"".join(message.get("body", b"") for message in told[1:])
    said = {name.decode(): value.decode() for name, value in start["headers"]}
    return Reply(start["status"], said, whole)
