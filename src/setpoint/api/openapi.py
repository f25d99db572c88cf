"""The contract as it is served: made from the routes and the kinds' own schemas, never written by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.api.render import answer
from setpoint.api.validate import Validator
from setpoint.engine.kind import Kinds

AnyJson = Any
PROBLEM = {"description": "refused", "content": {"application/problem+json": {"schema": {"type": "object"}}}}


@dataclass(frozen=True, slots=True)
class OpenApi:
    """OpenAPI 3.1 of the running application."""

    kinds: Kinds
    validators: Mapping[str, Validator]
    routes: tuple[Route, ...]

    async def serve(self, request: Request) -> Response:
        return answer(self.document())

    def document(self) -> dict[str, AnyJson]:
        paths: dict[str, dict[str, AnyJson]] = {}
        for route in self.routes:
            path = route.path.replace(":path}", "}")
            for method in sorted((route.methods or set()) - {"HEAD"}):
                paths.setdefault(path, {})[method.lower()] = self._operation(route, method)
        return {
            "openapi": "3.1.0",
            "info": {"title": "Setpoint Control API", "version": "1"},
            "paths": paths,
            "components": {
                "schemas": self._schemas(),
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
            "security": [{"token": []}],
        }

    def _operation(self, route: Route, method: str) -> dict[str, AnyJson]:
        endpoint = route.endpoint
        operation: dict[str, AnyJson] = {
            "summary": (endpoint.__doc__ or endpoint.__name__).splitlines()[0],
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in route.param_convertors
            ],
            "responses": {"2XX": {"description": "done or accepted"}, "4XX": PROBLEM, "5XX": PROBLEM},
        }
        kind = next(
            (
                kind
                for kind in self.kinds.values()
                if f"/{kind.plural}" in route.path.split("{name}")[0][-64:]
            ),
            None,
        )
        if kind is not None and method in ("POST", "PUT") and ":" not in route.path:
            schema = {"$ref": f"#/components/schemas/{kind.name}"}
            operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
        return operation

    def _schemas(self) -> dict[str, AnyJson]:
        """Each kind's declaration, its spec's definitions moved to where the document keeps them."""
        schemas: dict[str, AnyJson] = {}
        for kind in self.kinds.values():
            schema = self.validators[kind.name].schema
            for name, definition in schema["$defs"].items():
                schemas[name] = _moved(definition)
            schemas[kind.name] = {
                "type": "object",
                "description": kind.about,
                "required": ["spec"],
                "properties": {
                    "kind": {"const": kind.name},
                    "metadata": {"type": "object"},
                    "spec": _moved({"$ref": schema["$ref"]}),
                },
                "examples": [
                    {"kind": kind.name, "metadata": {"name": "example"}, "spec": dict(kind.example)}
                ],
            }
        return schemas


def _moved(schema: AnyJson) -> AnyJson:
    if isinstance(schema, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _moved(value)
            for key, value in schema.items()
        }
    return [_moved(item) for item in schema] if isinstance(schema, list) else schema
