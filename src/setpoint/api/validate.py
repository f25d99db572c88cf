"""From a request body to declarations: every mistake with its place, found at once."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import jsonschema_rs
import msgspec
from jsonschema_rs import ValidationError, ValidationErrorKind
from msgspec import Struct

from setpoint.api.form import NOT_PLAIN, form_mistakes, is_plain, name_mistakes
from setpoint.api.leaks import NAMED, leaks, plain
from setpoint.api.validation_words import LONGEST_MESSAGE, meant_by, words_for
from setpoint.engine.bounds import label_mistakes, size_mistakes
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import Scope, Shape
from setpoint.engine.errors import Mistake
from setpoint.engine.kind import Kinds
from setpoint.nearest import nearest

AnyJson = Any
Drafted = tuple[Declaration | None, list[Mistake]]
SCOPES: Final = ("organization", "project", "workspace")
ENVELOPE: Final = ("kind", "metadata", "spec")
IGNORED: Final = ("apiVersion",)
METADATA: Final = ("name", "labels", "protected", *SCOPES)
OURS: Final = {"status": "status is written by Setpoint, never declared"}
STEP: Final = re.compile(r"\w+")
"""One step of a path as msgspec writes it."""


class Validator(Struct, frozen=True):
    """One kind's spec, checked against its schema."""

    schema: Mapping[str, AnyJson]
    checker: Any
    spec: type[Shape]

    def mistakes(self, spec: AnyJson, pointer: str) -> list[Mistake]:
        """What the schema says is wrong; failing that, what the kind could not read back."""
        try:
            msgspec.convert(spec, self.spec)
        except msgspec.ValidationError as error:
            # It stops at the first; the schema, which says the same, finds them all.
            found = tuple(self.checker.iter_errors(spec))
            wrong = list(self._told(found, pointer)) if found else [_unreadable(error, pointer)]
            return wrong + leaks(spec, pointer)
        return leaks(spec, pointer)

    def _told(self, errors: Iterable[ValidationError], pointer: str) -> Iterator[Mistake]:
        for error in errors:
            place = pointer + "".join(f"/{_escaped(str(part))}" for part in error.instance_path)
            if isinstance(error.kind, ValidationErrorKind.AdditionalProperties):
                known = self._at(error.schema_path[:-1]).get("properties", {})
                yield from unknown_fields(error.kind.unexpected, tuple(known), place)
            elif _names_secret(error) and not leaks(error.instance, place):
                yield plain(place)
            elif not _names_secret(error):
                near, hint = meant_by(error), self._meaning(error.instance_path)
                hint = f"did you mean {near}?" if near else hint
                yield Mistake(pointer=place, code="bad_field", message=words_for(error), hint=hint)

    @property
    def fields(self) -> Mapping[str, AnyJson]:
        fields: Mapping[str, AnyJson] = self._at(self.schema["$ref"].split("/")[1:])["properties"]
        return fields

    def _at(self, path: Iterable[str | int]) -> Mapping[str, AnyJson]:
        node: AnyJson = self.schema
        for part in path:
            node = node[part]
        return dict(node)

    def _meaning(self, path: list[str | int]) -> str:
        """What the top field is for, as its own description says."""
        field = self.fields.get(str(path[0]), {}) if path else {}
        said = [each["description"] for each in (field, *field.get("anyOf", ())) if "description" in each]
        return str(said[0]) if said else ""


@functools.cache
def validator(spec: type[Shape]) -> Validator:
    schema = msgspec.json.schema(spec)
    return Validator(schema, jsonschema_rs.validator_for(schema), spec)


class Validators(Mapping[str, Validator]):
    """Of every kind, each made when it is asked for."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def __getitem__(self, name: str) -> Validator:
        return validator(self._kinds[name].spec)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


class Drafting(Struct, frozen=True):
    """Reads envelopes; what the address says is filled in, and must not be contradicted."""

    kinds: Kinds
    validators: Mapping[str, Validator]

    def declaration(self, body: AnyJson, given: Mapping[str, str], pointer: str) -> Drafted:
        """The declaration and every mistake in it. `given`: kind, name and scope as the address has them.

        None where not even a name's place is known; one with mistakes is not sound, but holds its place.
        """
        if not isinstance(body, dict):
            return None, [Mistake(pointer=pointer, code="bad_type", message="an object was expected")]
        metadata, wrong = _metadata(body, f"{pointer}/metadata")
        said = {"kind": body.get("kind"), **{key: metadata.get(key) for key in ("name", *SCOPES)}}
        known = {**{key: value for key, value in said.items() if value is not None}, **given}
        wrong += unknown_fields((field for field in body if field not in IGNORED), ENVELOPE, pointer)
        wrong += _contradictions(said, given, pointer)
        wrong += [
            Mistake(pointer=f"{pointer}{at}", code="too_large", message=message)
            for at, message in size_mistakes(body.get("spec"), metadata.get("labels"))
        ]
        misplaced = [*_texts(known, pointer)]
        misnamed = list(name_mistakes(known.get("name"), pointer))
        kind = str(known.get("kind"))
        if kind not in self.kinds:
            misplaced.append(_unknown_kind(known.get("kind"), self.kinds, pointer))
        else:
            wrong += self.validators[kind].mistakes(body.get("spec", {}), f"{pointer}/spec")
        if misplaced:
            return None, wrong + misplaced + misnamed
        item = Declaration(
            kind=kind,
            scope=Scope(*(known.get(key, "") for key in SCOPES)),
            name=known["name"],
            spec=body["spec"] if isinstance(body.get("spec"), dict) else {},
            labels={} if wrong else metadata.get("labels", {}),
            protected=None if wrong else metadata.get("protected"),
            pointer=pointer,
            sound=not wrong,
        )
        return item, wrong + misnamed + list(form_mistakes(item, self.kinds))


def unknown_fields(fields: Iterable[str], known: tuple[str, ...], pointer: str) -> Iterator[Mistake]:
    """A mistake for each field that is not known here, with the one that was probably meant."""
    for field in fields:
        if field not in known:
            close = nearest(field, known)
            yield Mistake(
                pointer=f"{pointer}/{_escaped(field)}",
                code="unknown_field",
                message=OURS.get(field, f"{field[:64]} is not a field here"),
                hint=f"did you mean {close}?" if close else f"known are {', '.join(known)}",
            )


def _metadata(body: Mapping[str, AnyJson], pointer: str) -> tuple[Mapping[str, AnyJson], list[Mistake]]:
    """The metadata, and what is wrong with it by itself."""
    metadata = body.get("metadata", {})
    if not isinstance(metadata, dict):
        return {}, [Mistake(pointer=pointer, code="bad_type", message="metadata must be an object")]
    wrong = list(unknown_fields(metadata, METADATA, pointer))
    labels = metadata.get("labels", {})
    wrong += leaks(labels, f"{pointer}/labels") if labels else []
    if not isinstance(labels, dict):
        wrong.append(Mistake(pointer=f"{pointer}/labels", code="bad_type", message="labels are text by name"))
    else:
        wrong += [
            Mistake(pointer=f"{pointer}/labels/{_escaped(key)}", code="bad_type", message="text was expected")
            for key, value in labels.items()
            if not isinstance(value, str)
        ]
        wrong += [
            Mistake(pointer=f"{pointer}/labels/{_escaped(key)}", code="bad_name", message=NOT_PLAIN)
            for key in labels
            if not is_plain(key)
        ]
        wrong += [
            Mistake(pointer=f"{pointer}/labels{at}", code="too_large", message=message)
            for at, message in label_mistakes(labels)
        ]
    if not isinstance(metadata.get("protected", False), bool):
        message = "true or false was expected"
        wrong.append(Mistake(pointer=f"{pointer}/protected", code="bad_type", message=message))
    return metadata, wrong


def _contradictions(said: Mapping[str, AnyJson], given: Mapping[str, str], pointer: str) -> Iterator[Mistake]:
    for key, value in said.items():
        if value is not None and key in given and value != given[key]:
            place = f"{pointer}/kind" if key == "kind" else f"{pointer}/metadata/{key}"
            message = _short(f"{value!r} here, {given[key]!r} in the address")
            yield Mistake(pointer=place, code="contradiction", message=message)


def _texts(known: Mapping[str, AnyJson], pointer: str) -> Iterator[Mistake]:
    if not known.get("name"):
        yield Mistake(pointer=f"{pointer}/metadata/name", code="missing", message="a name is needed")
    for key in ("name", *SCOPES):
        if not isinstance(known.get(key, ""), str):
            yield Mistake(pointer=f"{pointer}/metadata/{key}", code="bad_type", message="text was expected")


def _unknown_kind(kind: AnyJson, kinds: Kinds, pointer: str) -> Mistake:
    close = nearest(str(kind), kinds)
    hint = f"did you mean {close}?" if close else f"known are {', '.join(sorted(kinds))}"
    message = "a kind is needed" if kind is None else _short(f"there is no kind {kind!r}")
    return Mistake(pointer=f"{pointer}/kind", code="unknown_kind", message=message, hint=hint)


def _unreadable(error: msgspec.ValidationError, pointer: str) -> Mistake:
    """For a schema 3.0 is a whole number; for the kind it is not."""
    message, _, place = str(error).partition(" - at `$")
    where = "".join(f"/{part}" for part in STEP.findall(place))
    if message == "Expected `int`, got `float`":
        message = "a whole number was expected, without a point"
    return Mistake(pointer=f"{pointer}{where}", code="bad_field", message=message)


def _names_secret(error: ValidationError) -> bool:
    """Whether something else stands where the name of a secret belongs."""
    match error.kind:
        case ValidationErrorKind.Pattern(pattern=pattern):
            return str(pattern).startswith(NAMED)
        case _:
            return False


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


def _escaped(part: str) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return part[:64].replace("~", "~0").replace("/", "~1")
