"""Reading a request's body: bounded, JSON, and one clear refusal when it is neither."""

from typing import Any, Final

import msgspec
from starlette.requests import ClientDisconnect, Request

from setpoint.api.headers import sent_as
from setpoint.api.problem import Refused

AnyJson = Any
MAX_DEPTH: Final = 64
MAX_ITEMS: Final = 10_000
READ: Final = "setpoint.body"
"""Where in the scope of a request its body is, once it was read."""
LARGEST: Final = 2**63 - 1
"""The largest whole number that every store and every reader of JSON keeps."""


async def read_json(request: Request, limit: int) -> AnyJson:
    """The decoded body; nothing beyond the limit is read."""
    raw = await read_raw(request, limit)
    if not raw:
        return {}
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, "not_json", f"the body is not JSON: {error}") from error
    _check(body, MAX_DEPTH)
    return body


async def read_raw(request: Request, limit: int) -> bytes:
    """The body as it was sent, however often it is asked for."""
    read: bytes | None = request.scope.get(READ)
    if read is not None:
        return read
    announced = sent_as(b"content-length", request.scope)
    if announced.isdecimal() and int(announced) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part, more = message.get("body", b""), message.get("more_body", False)
        parts.append(part)
        size += len(part)
        if size > limit:
            raise _too_large(limit)
    request.scope[READ] = raw = b"".join(parts)
    return raw


def _too_large(limit: int) -> Refused:
    return Refused(413, "too_large", f"the body is larger than {limit} bytes", hint="send it in parts")


def _check(value: AnyJson, depth: int) -> None:
    """Refuses what can be written in JSON but not be kept."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise Refused(400, "bad_number", f"a whole number is larger than {LARGEST}")
    if not isinstance(value, dict | list):
        return
    if depth == 0:
        raise Refused(400, "too_deep", f"the body is nested more than {MAX_DEPTH} deep")
    if len(value) > MAX_ITEMS:
        detail = f"a list or an object has {len(value)} entries; at most {MAX_ITEMS} are read"
        raise Refused(413, "too_many", detail, hint="send it in parts")
    for item in value.values() if isinstance(value, dict) else value:
        if type(item) is not str:  # Most are, and nothing is wrong with any.
            _check(item, depth - 1)
