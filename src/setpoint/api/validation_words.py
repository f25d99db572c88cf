"""What a schema finds wrong, in plain sentences: what was expected, and what stands there."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from jsonschema_rs import ValidationError, ValidationErrorKind

from setpoint.nearest import nearest

AnyJson = Any
LONGEST_SAID: Final = 20
LONGEST_MESSAGE: Final = 400
TYPES: Final[Mapping[str, str]] = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
SHAPES: Final[Mapping[str, str]] = {
    r"^https?://\S+$": "an address that begins with http:// or https://",
    r"^https?://[^\s/]+(/\S*)?$": "an address that begins with http:// or https://",
    r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$": "a domain in small letters, such as example.org",
    r"^[a-z0-9-]{1,32}$": "1 to 32 small letters, digits and hyphens",
    r"^[a-z0-9._-]{1,64}$": "1 to 64 small letters, digits, dots, hyphens and underscores",
    r"^[^\s@]+@[^\s@]+$": "an e-mail address",
    r"^(\d{4}-\d\d-\d\d)?$": "a day such as 2026-12-31, or empty",
}
"""Patterns of specs, as people say them; nobody is shown an expression."""

LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "minimum": ("{value} is too small; at least {limit} is expected", ""),
    "maximum": ("{value} is too large; at most {limit} is expected", ""),
    "exclusiveMinimum": ("{value} is too small; more than {limit} is expected", ""),
    "exclusiveMaximum": ("{value} is too large; less than {limit} is expected", ""),
    "minLength": ("it is too short; at least {counted} expected", "character"),
    "maxLength": ("it is too long; at most {counted} expected", "character"),
    "minItems": ("at least {counted} expected", "item"),
    "maxItems": ("there are too many; at most {counted} expected", "item"),
    "minProperties": ("at least {counted} expected", "field"),
    "uniqueItems": ("the same item is in it twice", ""),
}
"""The schema's words for limits, each as a sentence, and what is counted."""
QUOTE: Final = '"'


def words_for(error: ValidationError) -> str:
    """One mistake as a sentence. Never with a long text: people paste secrets into the wrong field."""
    return _short(_words(error))


def meant_by(error: ValidationError) -> str:
    """The option that was probably meant, where there are options."""
    match error.kind:
        case ValidationErrorKind.Enum(options=options) if isinstance(error.instance, str):
            return nearest(error.instance, [str(option) for option in options])
        case _:
            return ""


def _words(error: ValidationError) -> str:  # noqa: PLR0911 - a table, one line for each sort of mistake
    value = said(error.instance)
    match error.kind:
        case ValidationErrorKind.Pattern(pattern=pattern):
            # Without the value: where a secret's name belongs, people paste the secret.
            return f"{SHAPES.get(str(pattern), 'another spelling')} was expected here"
        case ValidationErrorKind.AnyOf(context=branches):
            return _either([one for branch in branches for one in branch], value)
        case ValidationErrorKind.Type(types=types):
            return f"{_types(types)} was expected, not {value}"
        case ValidationErrorKind.Enum(options=options):
            return f"{value} is none of {', '.join(map(str, options))}"
        case ValidationErrorKind.Required(property=field):
            return f"{str(field).strip(QUOTE)} is needed"
        case kind:
            return _limited(kind.name, getattr(kind, "limit", 0), value) or _without(error, value)


def _limited(name: str, limit: float, value: str) -> str:
    """A sentence about a limit, by the schema's word for it; empty for any other word."""
    sentence, noun = LIMITS.get(name, ("", ""))
    counted = f"{limit} {noun} is" if limit == 1 else f"{limit} {noun}s are"
    return sentence.format(value=value, limit=limit, counted=counted)


def _either(errors: Iterable[ValidationError], value: str) -> str:
    """What may be one of several: of the right type and wrong otherwise says more than of another type."""
    types: list[str] = []
    others: list[str] = []
    for error in errors:
        match error.kind:
            case ValidationErrorKind.Type(types=wanted):
                types += wanted
            case _:
                others.append(_words(error))
    return " or ".join(dict.fromkeys(others)) or f"{_types(types)} was expected, not {value}"


def _types(names: Iterable[str]) -> str:
    """`null` last: nothing is rarely what somebody meant."""
    ordered = sorted(dict.fromkeys(names), key=lambda name: (name == "null", list(TYPES).index(name)))
    return " or ".join(TYPES[name] for name in ordered)


def said(value: AnyJson) -> str:
    """A value as it was written, if it is short."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST_SAID else "this"


def _without(error: ValidationError, value: str) -> str:
    """The schema's own sentence, for what is not worded here; a long value is left out of it."""
    text = str(error.message)
    spellings = (msgspec.json.encode(error.instance).decode(), repr(error.instance))
    for spelling in spellings if value == "this" else ():
        text = text.replace(spelling, value)
    return text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"
