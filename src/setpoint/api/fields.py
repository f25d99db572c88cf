"""Small bodies of plain fields: each with its type, every mistake at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request

from setpoint.api.body import read_json
from setpoint.api.problem import Refused
from setpoint.api.validate import unknown_fields
from setpoint.engine.errors import Mistake

AnyJson = Any
LARGEST: Final = 16 * 1024
LONGEST: Final = 1024
TYPES: Final = {str: "text", bool: "true or false"}
Form = Mapping[str, type[str] | type[bool]]


async def fields_of(request: Request, form: Form, needed: Sequence[str] = ()) -> dict[str, AnyJson]:
    """The body of a request to which anybody may send anything; nothing large is read."""
    body = await read_json(request, LARGEST)
    if not isinstance(body, dict):
        raise Refused(400, "bad_type", "an object was expected")
    check(tuple(_mistakes(body, form, needed)))
    return body


def check(mistakes: tuple[Mistake, ...]) -> None:
    """422 with all of them, or nothing."""
    if mistakes:
        detail = "; ".join(mistake.message for mistake in mistakes)
        raise Refused(422, "bad_fields", detail, mistakes=mistakes)


def _mistakes(body: Mapping[str, AnyJson], form: Form, needed: Sequence[str]) -> Iterator[Mistake]:
    yield from unknown_fields(body, tuple(form), "")
    for name in needed:
        if body.get(name) in (None, ""):
            yield Mistake(pointer=f"/{name}", code="missing", message=f"{name} is needed")
    for name, wanted in form.items():
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, wanted):
            yield Mistake(pointer=f"/{name}", code="bad_type", message=f"{name} is {TYPES[wanted]}")
        elif isinstance(value, str) and (len(value) > LONGEST or not value.isprintable()):
            message = f"{name} is up to {LONGEST} characters that can be printed"
            yield Mistake(pointer=f"/{name}", code="bad_value", message=message)
