"""From a request body to declarations: every mistake with its place, found at once."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jsonschema_rs
import msgspec

from setpoint.api.form import form_mistakes
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import Scope
from setpoint.engine.errors import Mistake
from setpoint.engine.kind import Kind, Kinds

AnyJson = Any
SCOPES: Final = ("organization", "project", "workspace")
ENVELOPE: Final = ("kind", "metadata", "spec")
METADATA: Final = ("name", "labels", "protected", *SCOPES)
OURS: Final = {"status": "status is written by Setpoint, never declared"}


@dataclass(frozen=True, slots=True)
class Validator:
    """One kind's spec, checked against its schema."""

    schema: Mapping[str, AnyJson]
    checker: Any

    def mistakes(self, spec: AnyJson, pointer: str) -> Iterator[Mistake]:
        if isinstance(spec, dict):
            yield from _unknown(spec, tuple(self.fields), pointer)
        for error in self.checker.iter_errors(spec):
            place = "/".join(str(part) for part in error.instance_path)
            if place or "Additional properties" not in error.message:
                where = f"{pointer}/{place}" if place else pointer
                yield Mistake(pointer=where, code="bad_field", message=error.message)

    @property
    def fields(self) -> Mapping[str, AnyJson]:
        name = self.schema["$ref"].rsplit("/", 1)[1]
        fields: Mapping[str, AnyJson] = self.schema["$defs"][name]["properties"]
        return fields


def validator(kind: Kind) -> Validator:
    schema = msgspec.json.schema(kind.spec)
    return Validator(schema, jsonschema_rs.validator_for(schema))


@dataclass(frozen=True, slots=True)
class Drafting:
    """Reads envelopes; what the address says is filled in, and must not be contradicted."""

    kinds: Kinds
    validators: Mapping[str, Validator]

    def declaration(
        self, body: AnyJson, given: Mapping[str, str], pointer: str
    ) -> tuple[Declaration | None, list[Mistake]]:
        """The declaration and every mistake in it. `given`: kind, name and scope as the address has them.

        None where not even a name's place is known; one with mistakes is not sound, but holds its place.
        """
        if not isinstance(body, dict):
            return None, [Mistake(pointer=pointer, code="bad_type", message="an object was expected")]
        metadata = body.get("metadata", {})
        if not isinstance(metadata, dict):
            message = "metadata must be an object"
            return None, [Mistake(pointer=f"{pointer}/metadata", code="bad_type", message=message)]
        wrong = [*_unknown(body, ENVELOPE, pointer), *_unknown(metadata, METADATA, f"{pointer}/metadata")]
        said = {"kind": body.get("kind"), **{key: metadata.get(key) for key in ("name", *SCOPES)}}
        known = {**{key: value for key, value in said.items() if value is not None}, **given}
        wrong += _contradictions(said, given, pointer)
        misplaced = [*_texts(known, pointer)]
        kind = str(known.get("kind"))
        if kind not in self.kinds:
            misplaced.append(_unknown_kind(known.get("kind"), self.kinds, pointer))
        else:
            wrong += self.validators[kind].mistakes(body.get("spec", {}), f"{pointer}/spec")
        wrong += _label_mistakes(metadata, f"{pointer}/metadata")
        if misplaced:
            return None, wrong + misplaced
        item = Declaration(
            kind=kind,
            scope=Scope(*(known.get(key, "") for key in SCOPES)),
            name=known["name"],
            spec={} if wrong else body.get("spec", {}),
            labels={} if wrong else metadata.get("labels", {}),
            protected=metadata.get("protected") is True,
            pointer=pointer,
            sound=not wrong,
        )
        return item, wrong + list(form_mistakes(item, self.kinds))


def _unknown(fields: Mapping[str, AnyJson], known: tuple[str, ...], pointer: str) -> Iterator[Mistake]:
    for field in fields:
        if field not in known and not (field == "apiVersion" and known is ENVELOPE):
            close = difflib.get_close_matches(field, known, 1)
            yield Mistake(
                pointer=f"{pointer}/{field}",
                code="unknown_field",
                message=OURS.get(field, f"{field} is not a field here"),
                hint=f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}",
            )


def _contradictions(said: Mapping[str, AnyJson], given: Mapping[str, str], pointer: str) -> Iterator[Mistake]:
    for key, value in said.items():
        if value is not None and key in given and value != given[key]:
            place = f"{pointer}/kind" if key == "kind" else f"{pointer}/metadata/{key}"
            message = f"{value!r} here, {given[key]!r} in the address"
            yield Mistake(pointer=place, code="contradiction", message=message)


def _texts(known: Mapping[str, AnyJson], pointer: str) -> Iterator[Mistake]:
    if not known.get("name"):
        yield Mistake(pointer=f"{pointer}/metadata/name", code="missing", message="a name is needed")
    for key in ("name", *SCOPES):
        if not isinstance(known.get(key, ""), str):
            yield Mistake(pointer=f"{pointer}/metadata/{key}", code="bad_type", message="text was expected")


def _unknown_kind(kind: AnyJson, kinds: Kinds, pointer: str) -> Mistake:
    close = difflib.get_close_matches(str(kind), list(kinds), 1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(kinds))}"
    message = "a kind is needed" if kind is None else f"there is no kind {kind!r}"
    return Mistake(pointer=f"{pointer}/kind", code="unknown_kind", message=message, hint=hint)


def _label_mistakes(metadata: Mapping[str, AnyJson], pointer: str) -> Iterator[Mistake]:
    labels = metadata.get("labels", {})
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        yield Mistake(pointer=f"{pointer}/labels", code="bad_type", message="labels are text by name")
    if not isinstance(metadata.get("protected", False), bool):
        yield Mistake(pointer=f"{pointer}/protected", code="bad_type", message="true or false was expected")
