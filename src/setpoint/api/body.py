"""Reading a request's body: bounded, JSON, and one clear refusal when it is neither."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from starlette.requests import ClientDisconnect, Request

from setpoint.api.form import rejected
from setpoint.api.headers import sent_as
from setpoint.api.problem import Refused
from setpoint.engine.bounds import BODY_DEPTH, BODY_ITEMS, TEXT, TEXTS, text_mistakes
from setpoint.engine.errors import Mistake
from setpoint.secret_fields import is_secret

AnyJson = Any
READ: Final = "setpoint.body"
"""Where in the scope of a request its body is, once it was read."""
LIKELY: Final = (b"\x7f", b"\xc2", b"\\u00", b"\\b", b"\\f")
"""One of these is in every body that holds a control character: JSON takes none below a blank as it is."""
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SMALL: Final = min(bound.most for bound in (TEXT, *TEXTS.values()))
"""A body of so many bytes holds no text that is too long."""
LARGEST: Final = 2**63 - 1
"""The largest whole number that every store and every reader of JSON keeps."""


async def read_json(request: Request, limit: int, opaque: tuple[str, ...] = ()) -> AnyJson:
    """The decoded body; nothing beyond the limit is read. Fields that are `opaque` may hold any text."""
    raw = await read_raw(request, limit)
    if not raw:
        return {}
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, "not_json", f"the body is not JSON: {error}") from error
    _check(body, BODY_DEPTH.most)
    _check_texts(body, raw, opaque)
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


def _check_texts(body: AnyJson, raw: bytes, opaque: tuple[str, ...]) -> None:
    """Refuses texts that are too long or hold a control character, all of them at once."""
    found = text_mistakes(body, opaque) if len(raw) > SMALL else ()
    long = [Mistake(pointer=at, code="too_large", message=message) for at, message in found]
    # Hardly any body has one: a look at its bytes spares all others the walk.
    if any(mark in raw for mark in LIKELY) and (wrong := tuple(_steering(body, "", opaque))):
        detail = (
            f"{wrong[0].pointer} holds a control character; line breaks and tabs are all that text may hold"
        )
        raise Refused(422, "control_character", detail, mistakes=(*wrong, *long))
    if long:
        raise rejected(long)


def _steering(value: AnyJson, pointer: str, opaque: tuple[str, ...]) -> Iterator[Mistake]:
    """Every text that could steer the terminal of whoever reads it, by its place. Passwords may."""
    if isinstance(value, str) and CONTROL.search(value):
        message = "a control character is in it; text may hold line breaks and tabs"
        yield Mistake(pointer=pointer, code="control_character", message=message)
    elif isinstance(value, dict):
        for key, inner in value.items():
            at = f"{pointer}/{CONTROL.sub('?', key)[:64].replace('~', '~0').replace('/', '~1')}"
            if CONTROL.search(key):
                message = "a control character is in the name of this field"
                yield Mistake(pointer=at, code="control_character", message=message)
            if key not in opaque and not is_secret(key):
                yield from _steering(inner, at, opaque)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _steering(inner, f"{pointer}/{index}", opaque)


def _too_large(limit: int) -> Refused:
    return Refused(413, "too_large", f"the body is larger than {limit} bytes", hint="send it in parts")


def _check(value: AnyJson, depth: int) -> None:
    """Refuses what can be written in JSON but not be kept."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise Refused(400, "bad_number", f"a whole number is larger than {LARGEST}")
    if not isinstance(value, dict | list):
        return
    if depth == 0:
        raise Refused(400, "too_deep", f"the body is nested more than {BODY_DEPTH.most} deep")
    if len(value) > BODY_ITEMS.most:
        detail = f"a list or an object has {len(value)} entries; at most {BODY_ITEMS.most} are read"
        raise Refused(413, "too_many", detail, hint="send it in parts")
    for item in value.values() if isinstance(value, dict) else value:
        if type(item) is not str:  # Most are, and nothing is wrong with any.
            _check(item, depth - 1)
