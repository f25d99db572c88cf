"""Reading a request body into a value, with every bad field told at once."""

from typing import TypeVar

import msgspec
from starlette.requests import Request

from setpoint.sim.hetzner.refusal import Mistake, Refusal, invalid_input

T = TypeVar("T", bound=msgspec.Struct)


async def read(request: Request, shape: type[T]) -> T:
    """The body of a request as a value of this shape."""
    content = await request.body()
    try:
        raw = msgspec.json.decode(content or b"{}")
    except msgspec.DecodeError as error:
        raise Refusal(400, "json_error", f"invalid JSON in the request: {error}") from error
    return shaped(raw, shape)


def shaped(raw: object, shape: type[T]) -> T:
    """The value that raw JSON describes; otherwise a refusal that lists all that is wrong with it."""
    if not isinstance(raw, dict):
        raise Refusal(400, "invalid_input", f"the body must be an object, it is {type(raw).__name__}")
    mistakes = _mistakes(raw, shape)
    if mistakes:
        raise invalid_input(mistakes)
    return msgspec.convert(raw, shape)


def _mistakes(raw: dict[str, object], shape: type[T]) -> list[Mistake]:
    # msgspec stops at the first mistake of a struct; one field at a time finds all of them.
    mistakes = []
    for field in msgspec.structs.fields(shape):
        if field.encode_name not in raw:
            if field.required:
                mistakes.append((field.encode_name, "missing data for required field"))
            continue
        try:
            msgspec.convert(raw[field.encode_name], field.type)
        except msgspec.ValidationError as error:
            mistakes.append((field.encode_name, str(error)))
    return mistakes
