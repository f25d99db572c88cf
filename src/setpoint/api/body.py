"""Reading a request's body: bounded, JSON, and one clear refusal when it is neither."""

from typing import Any

import msgspec
from starlette.requests import Request

from setpoint.api.problem import Refused

AnyJson = Any
MAX_DEPTH = 64


async def read_json(request: Request, limit: int) -> AnyJson:
    """The decoded body; nothing beyond the limit is read."""
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise Refused(413, "too_large", f"the body is larger than {limit} bytes", hint="send it in parts")
    if not raw:
        return {}
    try:
        body = msgspec.json.decode(bytes(raw))
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refused(400, "not_json", f"the body is not JSON: {error}") from error
    if _deeper_than(body, MAX_DEPTH):
        raise Refused(400, "too_deep", f"the body is nested more than {MAX_DEPTH} deep")
    return body


def _deeper_than(value: AnyJson, depth: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    if depth == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(_deeper_than(item, depth - 1) for item in inner)
