"""Fields of a kind, read from its JSON Schema."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
    example: str = ""

    @property
    def body(self) -> dict[str, str]:
        said = {"path": self.path, "type": self.type, "default": self.given, "about": self.about}
        more = {"limits": self.limits, "example": self.example}
        return said | {key: words for key, words in more.items() if words}


def fields_of(schema: Schema, example: AnyJson = None) -> list[FieldInfo]:
    """Every field, those inside others by their dotted path; with what the example has there."""
    return [
        replace(field, example=_example(example, field.path) or field.example)
        for field in _fields(schema, schema, "", 0)
    ]


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
        usual = inner.get("default")
        like = json.dumps(usual if usual not in (None, "", [], {}) else _made_up(flat, whole))
        yield FieldInfo(path, _type(inner, whole), given, about, _limits(flat), like)
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


def _example(example: AnyJson, path: str) -> str:
    """What an example says at this path; of a list, what its first element says."""
    for part in path.split("."):
        example = example[0] if isinstance(example, list) and example else example
        if not isinstance(example, Mapping) or part not in example:
            return ""
        example = example[part]
    return json.dumps(example, ensure_ascii=False)


def _made_up(flat: Schema, whole: Schema) -> AnyJson:
    """A value that the schema allows, where nobody wrote one down."""
    plain = {"boolean": True, "integer": flat.get("minimum", 1), "number": flat.get("minimum", 1.0)}
    match flat.get("type"):
        case _ if "enum" in flat:
            return flat["enum"][0]
        case "array":
            return [_made_up(resolved(flat.get("items") or {}, whole), whole)]
        case "object":
            inner = flat.get("properties") or {"name": flat.get("additionalProperties") or {}}
            return {name: _made_up(resolved(each, whole), whole) for name, each in inner.items()}
        case kind:
            return plain.get(str(kind), "text")


def _limits(flat: Schema) -> str:
    return ", ".join(words.format(flat[key]) for key, words in LIMITS if key in flat)
