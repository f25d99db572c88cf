"""JSON Schema of what people write: one for each kind, and one for whole files in either form."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.address import LEVELS
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.validate import SCOPES, Validator
from setpoint.engine.kind import Kind, Kinds

AnyJson = Any
Schema = dict[str, AnyJson]
FILE: Final = "file"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TEXT: Final[Schema] = {"type": "string"}
SCALARS: Final = ("string", "integer", "number", "boolean")
TEMPLATE: Final[Schema] = {"type": "string", "pattern": r"\$\{[a-z]"}
LABELS: Final[Schema] = {
    "type": "object",
    "additionalProperties": TEXT,
    "description": "Words by name, to find it by.",
}
PROTECTED: Final[Schema] = {"type": "boolean", "description": "Never deleted while this is true."}
METADATA: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"name": TEXT, **dict.fromkeys(SCOPES, TEXT), "labels": LABELS, "protected": PROTECTED},
}
FOR_EACH: Final[Schema] = {
    "type": ["array", "object", "string"],
    "description": "One of these for each element; ${each} is the element.",
}
VARIABLES: Final[Schema] = {
    "type": "object",
    "description": "Values by name, for ${name}; null must be given with --var.",
}


class Schemas(Struct, frozen=True):
    """Made from the kinds' own schemas."""

    kinds: Kinds
    validators: Mapping[str, Validator]

    async def serve(self, request: Request) -> Response:
        """GET the schema of a kind's declaration, or of a whole file."""
        name = request.path_params["name"]
        if name == FILE:
            return answer(self.file())
        if name not in self._people:
            raise Refused(404, "not_found", f"there is nothing at {request.url.path}")
        return answer({"$schema": DIALECT, **self._whole(self._declaration(self.kinds[name]), name)})

    def file(self) -> Schema:
        """Of a document: short, one declaration with its envelope, or a list of these."""
        short = {f"short.{name}": self._short(kind) for name, kind in self._people.items()}
        long = {f"long.{name}": self._declaration(kind) for name, kind in self._people.items()}
        branches = [{"$ref": f"#/$defs/long.{name}"} for name in self._people]
        listed = {"type": "object", "required": ["items"], "properties": {"items": {"type": "array"}}}
        inner = {key: value for name in self._people for key, value in self._definitions(name).items()}
        return {
            "$schema": DIALECT,
            "title": "Declarations for Setpoint",
            "anyOf": [{"$ref": "#/$defs/short"}, *branches, listed],
            "$defs": {"short": self._file(), **short, **long, **inner},
        }

    @property
    def _people(self) -> dict[str, Kind]:
        """The kinds that people declare."""
        return {name: kind for name, kind in self.kinds.items() if not kind.by_machine}

    def _file(self) -> Schema:
        scopes = {
            key: {**TEXT, "description": f"The {key} of everything in this document."} for key in SCOPES
        }
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {**scopes, "variables": VARIABLES, **self._by_plural(list(self._people.values()))},
        }

    def _by_plural(self, kinds: list[Kind]) -> Schema:
        return {
            kind.plural: {
                "type": ["object", "null"],
                "description": kind.about,
                "additionalProperties": {"$ref": f"#/$defs/short.{kind.name}"},
            }
            for kind in kinds
        }

    def _short(self, kind: Kind) -> Schema:
        spec = _moved(self._spec(kind), kind.name)
        inside = [each for each in self._people.values() if each.level == kind.name]
        needed = list(spec.get("required", ()))
        beside = {"labels": LABELS, "protected": PROTECTED, "for_each": FOR_EACH}
        return {
            "type": "object" if needed else ["object", "null"],
            "description": kind.about,
            "additionalProperties": False,
            "required": needed,
            "properties": {**spec["properties"], **beside, **self._by_plural(inside)},
        }

    def _declaration(self, kind: Kind) -> Schema:
        places = LEVELS[1 : LEVELS.index(kind.level) + 1]
        metadata: Schema = {
            "name": TEXT,
            **dict.fromkeys(places, TEXT),
            "labels": LABELS,
            "protected": PROTECTED,
        }
        return {
            "type": "object",
            "description": kind.about,
            "additionalProperties": False,
            "required": ["kind", "metadata", *(["spec"] if self._spec(kind).get("required") else [])],
            "properties": {
                "apiVersion": TEXT,
                "kind": {"const": kind.name},
                "metadata": {
                    "type": "object",
                    "required": ["name"],
                    "properties": metadata,
                    "additionalProperties": False,
                },
                "spec": {"$ref": f"#/$defs/{kind.name}.{self._name(kind)}"},
                "for_each": FOR_EACH,
                "variables": VARIABLES,
            },
            "examples": [{"kind": kind.name, "metadata": {"name": "example"}, "spec": dict(kind.example)}],
        }

    def _whole(self, schema: Schema, kind: str) -> Schema:
        return {**schema, "$defs": self._definitions(kind)}

    def _definitions(self, kind: str) -> Schema:
        defined = self.validators[kind].schema["$defs"]
        return {f"{kind}.{name}": _moved(inner, kind) for name, inner in defined.items()}

    def _name(self, kind: Kind) -> str:
        return str(self.validators[kind.name].schema["$ref"]).rpartition("/")[2]

    def _spec(self, kind: Kind) -> Schema:
        return dict(self.validators[kind.name].schema["$defs"][self._name(kind)])


def _moved(schema: AnyJson, kind: str) -> AnyJson:
    """References under the names they have beside those of other kinds; every value may be a template."""
    if isinstance(schema, list):
        return [_moved(item, kind) for item in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {
        key: value.replace("#/$defs/", f"#/$defs/{kind}.") if key == "$ref" else _moved(value, kind)
        for key, value in schema.items()
    }
    if schema.get("type") not in SCALARS and "enum" not in schema:
        return moved
    about = {key: moved.pop(key) for key in ("description", "default") if key in moved}
    return {**about, "anyOf": [moved, TEMPLATE]}
