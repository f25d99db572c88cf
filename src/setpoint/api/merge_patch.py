"""A JSON merge patch, and what of an object it may change."""

from typing import Any

from setpoint.engine.entity import Declared

AnyJson = Any


def merged(whole: AnyJson, patch: AnyJson) -> AnyJson:
    """RFC 7396: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(whole) if isinstance(whole, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def whole_of(declared: Declared) -> AnyJson:
    """What a patch may change."""
    metadata = {"labels": dict(declared.labels), "protected": declared.protected}
    return {"metadata": metadata, "spec": declared.spec}
