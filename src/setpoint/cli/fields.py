"""Fields of a kind, read from its JSON Schema."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

AnyJson = Any
Schema = Mapping[str, AnyJson]
NEEDED: Final = "needed"
DEEPEST: Final = 6
LIMITS: Final = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("minLength", "{} characters or more"),
    ("maxLength", "up to {} characters"),
    ("minItems", "{} or more"),
    ("maxItems", "up to {}"),
    ("pattern", "like {}"),
)


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """One field: where, what, what if it is left out, and what for."""

    path: str
    type: str
    given: str
    about: str
    limits: str = ""

    @property
    def body(self) -> dict[str, str]:
        said = {"path": self.path, "type": self.type, "default": self.given, "about": self.about}
        return {**said, "limits": self.limits} if self.limits else said


def fields_of(schema: Schema) -> list[FieldInfo]:
    """Every field, those inside others by their dotted path."""
    return list(_fields(schema, schema, "", 0))


def found_at(known: list[FieldInfo], path: str) -> FieldInfo | None:
    return next((field for field in known if field.path == path), None)


def _fields(schema: Schema, whole: Schema, prefix: str, depth: int) -> Iterator[FieldInfo]:
    known = resolved(schema, whole)
    needed = known.get("required") or ()
    for name, inner in (known.get("properties") or {}).items():
        path = f"{prefix}{name}"
        flat = resolved(inner, whole)
        about = str(inner.get("description") or flat.get("description") or "")
        given = NEEDED if name in needed else json.dumps(inner["default"]) if "default" in inner else ""
        yield FieldInfo(path, _type(inner, whole), given, about, _limits(flat))
        if depth < DEEPEST:
            yield from _fields(_element(flat, whole), whole, f"{path}.", depth + 1)


def resolved(schema: Schema, whole: Schema) -> Schema:
    """Follows a reference, and steps through `this or null`."""
    found = schema
    for _ in range(DEEPEST):
        if "$ref" in found:
            found = (whole.get("$defs") or {}).get(str(found["$ref"]).rsplit("/", 1)[-1], {})
            continue
        options = [option for option in found.get("anyOf") or () if option.get("type") != "null"]
        if len(options) != 1:
            return found
        found = options[0]
    return found


def _element(schema: Schema, whole: Schema) -> Schema:
    items = schema.get("items")
    return resolved(items, whole) if isinstance(items, Mapping) else schema


def _type(schema: Schema, whole: Schema) -> str:
    flat = resolved(schema, whole)
    if "enum" in flat:
        return " | ".join(str(value) for value in flat["enum"])
    if flat.get("type") == "array":
        inner = flat.get("items")
        return f"list of {_type(inner, whole)}" if isinstance(inner, Mapping) else "list"
    if flat.get("type") == "object":
        inner = flat.get("additionalProperties")
        return f"{_type(inner, whole)} by name" if isinstance(inner, Mapping) else "object"
    options = [_type(option, whole) for option in flat.get("anyOf") or ()]
    return " or ".join(options) or str(flat.get("type") or "anything").replace("string", "text")


def _limits(flat: Schema) -> str:
    return ", ".join(words.format(flat[key]) for key, words in LIMITS if key in flat)
