"""Specs with what was left out filled in, so that saying a default and not saying it compare as the same."""

from collections.abc import Mapping
from typing import Any

from setpoint.cli.fields import Schema, resolved

AnyJson = Any


def filled(value: AnyJson, schema: Schema, whole: Schema) -> AnyJson:
    """The value with its schema's defaults, at every depth; what the schema does not know stays as it is."""
    known = resolved(schema, whole)
    if isinstance(value, Mapping):
        properties: Mapping[str, Schema] = known.get("properties") or {}
        given = {name: inner["default"] for name, inner in properties.items() if "default" in inner}
        other = known.get("additionalProperties")
        by_name = other if isinstance(other, Mapping) else {}
        return {
            name: filled(inner, properties.get(name, by_name), whole)
            for name, inner in {**given, **value}.items()
        }
    items = known.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [filled(inner, items, whole) for inner in value]
    return value
