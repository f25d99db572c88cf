"""The contract as it is served: made from the routes and the kinds' own schemas.

Bodies that are no declarations are described by hand, in `bodies.py`; answers are described as JSON.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.bodies import body_of
from setpoint.api.contract import components, parameters, responses
from setpoint.api.render import answer
from setpoint.api.schemas import METADATA
from setpoint.api.served import Public, Served
from setpoint.api.validate import Validator
from setpoint.engine.kind import Kinds

AnyJson = Any
REF: Final = "#/components/schemas/"
CONVERTOR: Final = re.compile(r":\w+}")
PARAMETER: Final = re.compile(r"{(\w+)")
MERGE_PATCH: Final = "application/merge-patch+json"
ERROR: Final = {
    "type": "object",
    "required": ["pointer", "code", "message"],
    "properties": {key: {"type": "string"} for key in ("pointer", "code", "message", "hint")},
}
TEXTS: Final = ("type", "title", "code", "detail", "hint", "instance", "trace_id")
PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail", "instance", "trace_id", "retryable"],
    "properties": {
        **{key: {"type": "string"} for key in TEXTS},
        "status": {"type": "integer"},
        "retryable": {"type": "boolean"},
        "errors": {"type": "array", "items": ERROR},
    },
}


class OpenApi(Struct, frozen=True):
    """OpenAPI 3.1 of the running application."""

    kinds: Kinds
    validators: Mapping[str, Validator]
    routes: Sequence[Served | Public]

    async def serve(self, request: Request) -> Response:
        """GET this document."""
        return answer(self.document())

    def document(self) -> dict[str, AnyJson]:
        paths: dict[str, dict[str, AnyJson]] = {}
        for served in self.routes:
            path = CONVERTOR.sub("}", served.path)
            paths.setdefault(path, {})[served.method.lower()] = _operation(served, path)
        return {
            "openapi": "3.1.0",
            "info": {"title": "Setpoint Control API", "version": "1"},
            "paths": paths,
            "components": {
                "schemas": {"problem": PROBLEM, **dict(self._schemas())},
                "headers": components(),
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
            "security": [{"token": []}],
        }

    def _schemas(self) -> Iterator[tuple[str, AnyJson]]:
        """Each kind's declaration, its spec's definitions moved to where the document keeps them."""
        for kind in self.kinds.values():
            schema = self.validators[kind.name].schema
            for name, definition in schema["$defs"].items():
                yield f"{kind.name}.{name}", _moved(definition, kind.name)
            example = {"kind": kind.name, "metadata": {"name": "example"}, "spec": dict(kind.example)}
            yield (
                kind.name,
                {
                    "type": "object",
                    "description": kind.about,
                    "required": ["spec"],
                    "properties": {
                        "kind": {"const": kind.name},
                        "metadata": METADATA,
                        "spec": _moved({"$ref": schema["$ref"]}, kind.name),
                    },
                    "examples": [example],
                },
            )


def _operation(served: Served | Public, path: str) -> dict[str, AnyJson]:
    handler = served.handler
    operation: dict[str, AnyJson] = {
        "summary": (handler.__doc__ or served.path).splitlines()[0],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in PARAMETER.findall(served.path)
        ]
        + parameters(served),
        "responses": responses(served),
        **_body(served, path),
    }
    if isinstance(served, Public):
        return {**operation, "security": []}
    operation["x-permission"] = str(served.demand.permission)
    operation["deprecated"] = served.deprecated is not None
    return operation


def _body(served: Served | Public, path: str) -> dict[str, AnyJson]:
    """What it takes: a kind's declaration, a part of one, or what its table says."""
    kind = served.body if isinstance(served, Served) else None
    own = body_of(served.method, path)
    if kind is None:
        content = {"application/json": {"schema": own}}
        needed = bool(own and own.get("required"))
        return {"requestBody": {"required": needed, "content": content}} if own is not None else {}
    # A patch is a part of a declaration, so it need not be a whole one.
    patched = served.method == "PATCH"
    content = (
        {MERGE_PATCH: {"schema": {"type": "object"}}}
        if patched
        else {"application/json": {"schema": {"$ref": f"{REF}{kind.name}"}}}
    )
    return {"requestBody": {"required": True, "content": content}}


def _moved(schema: AnyJson, kind: str) -> AnyJson:
    if isinstance(schema, dict):
        return {
            key: value.replace("#/$defs/", f"{REF}{kind}.") if key == "$ref" else _moved(value, kind)
            for key, value in schema.items()
        }
    return [_moved(item, kind) for item in schema] if isinstance(schema, list) else schema
