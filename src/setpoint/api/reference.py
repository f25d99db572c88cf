"""The reference page of a kind, written from the kind alone: what is served is what is in the docs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.address import BASES
from setpoint.api.layout import document
from setpoint.api.problem import Refused
from setpoint.engine.kind import Kind, Kinds, Relation

AnyJson = Any
RELATIVES: Final[Mapping[Relation, str]] = {
    "self": "itself",
    "parent": "its parent",
    "child": "a part of it",
    "reference": "something it names",
}
LIMITS: Final[Mapping[str, str]] = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "pattern": "matching `{}`",
}
SCOPE: Final = {"project": "shop", "workspace": "prod"}
"""Where the examples live; the organization is named by whoever applies them."""


class Reference(Struct, frozen=True):
    """The pages over HTTP; they tell nothing about a tenant, so they need no token."""

    kinds: Kinds

    async def serve(self, request: Request) -> Response:
        """GET the reference page of one kind: Markdown, or HTML for a browser."""
        name = request.path_params["name"]
        if name not in self.kinds:
            hint = f"known are {', '.join(self.kinds)}"
            raise Refused(404, "not_found", f"there is no kind {name}", hint=hint)
        return document(request, page(self.kinds[name]))


def book(kinds: Iterable[Kind]) -> str:
    """Every page, one after the other."""
    head = "# Kinds\n\nWritten by `scripts/docs` from the kinds themselves; do not edit.\n"
    return "\n".join([head, *(page(kind) for kind in kinds)])


def page(kind: Kind) -> str:
    """One kind: what it is for, where it lives, its fields, an example, and how it is looked after."""
    schema = msgspec.json.schema(kind.spec)
    name = schema["$ref"].rsplit("/", 1)[1]
    parts = [
        f"## {kind.name}",
        kind.about,
        f"Lives at the level of the {kind.level}: `{BASES[kind.level]}/{kind.plural}/{{name}}`.",
        _looked_after(kind),
        *_tables(name, schema["$defs"]),
        *(("It declares itself: people read and delete it.",) if kind.by_machine else ()),
        f"```{'text' if kind.by_machine else 'yaml'}\n{_example(kind)}```",
    ]
    return "\n\n".join(parts) + "\n"


def _looked_after(kind: Kind) -> str:
    if kind.loop is None:
        role = f"judged together with the one its `{kind.parent}` names" if kind.parent else "read by others"
        return f"It has no loop of its own: it is {role}."
    every = f"Looked at every {duration(kind.every.seconds)}" if kind.every else "Looked at when woken"
    edges = [f"at once on `{on.event}` of {RELATIVES[on.of]}" for on in kind.on]
    return ", and ".join([every, *edges]) + "."


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as Markdown has them; a bar or a line break inside a cell does not end it."""
    cells = (tuple(cell.replace("|", "\\|").replace("\n", " ") for cell in row) for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *cells))


def fields(definition: Mapping[str, AnyJson]) -> Iterator[tuple[str, str, str, str]]:
    """Every field of one shape: its name, type, default and meaning."""
    for field, schema in definition["properties"].items():
        required = field in definition.get("required", ())
        default = "required" if required else f"`{msgspec.json.encode(schema.get('default')).decode()}`"
        yield f"`{field}`", _type(schema), default, _about(schema)


def duration(seconds: float) -> str:
    """`3 hours`, `day`: as it is said after every."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length and seconds % length == 0:
            count = int(seconds // length)
            return unit if count == 1 else f"{count} {unit}s"
    return f"{seconds:g} seconds"


def _tables(first: str, definitions: Mapping[str, AnyJson]) -> Iterator[str]:
    """The spec's own fields, then those of the shapes inside it."""
    for name in (first, *sorted(set(definitions) - {first})):
        owner = "`spec`" if name == first else name
        yield table((f"field of {owner}", "type", "default", "meaning"), fields(definitions[name]))


def _type(schema: Mapping[str, AnyJson]) -> str:
    match schema:
        case {"$ref": str(ref)}:
            words = ref.rsplit("/", 1)[1]
        case {"anyOf": branches}:
            words = " or ".join(_type(branch) for branch in branches)
        case {"enum": values}:
            words = ", ".join(f"`{value}`" for value in values)
        case {"type": "array"}:
            words = f"list of {_type(schema.get('items') or {})}"
        case {"type": "object"}:
            words = f"{_type(schema.get('additionalProperties') or {})} by name"
        case _:
            words = str(schema.get("type", "anything"))
    return words


def _about(schema: Mapping[str, AnyJson]) -> str:
    """Its description, and what the schema demands besides the type."""
    inner = [schema, *schema.get("anyOf", ())]
    words = next((str(each["description"]) for each in inner if "description" in each), "")
    limits = [text.format(each[key]) for each in inner for key, text in LIMITS.items() if key in each]
    return " ".join([words, *([f"({', '.join(limits)})"] if limits else [])]).strip()


def _example(kind: Kind) -> str:
    scope = {level: name for level, name in SCOPE.items() if f"{{{level}}}" in BASES[kind.level]}
    body = {"kind": kind.name, "metadata": {"name": "example", **scope}, "spec": dict(kind.example)}
    import yaml  # noqa: PLC0415 - half a page of the documentation needs it, starting does not

    return yaml.safe_dump(body, sort_keys=False)
