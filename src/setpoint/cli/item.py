"""One declaration in its long form, and where each part of it stands in its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.source import Finding, Place
from setpoint.cli.yaml_reader import Document

AnyJson = Any
OURS: Final = frozenset({"ref", "generation", "deleting", "owner", "created_at"})
"""Metadata that `get -o yaml` shows and nobody declares; so what was read can be applied as it is."""


@dataclass(frozen=True, slots=True)
class Way:
    """From a part of the declaration to its place in the document; `named` where it is a key there."""

    part: str
    at: str
    named: bool = False


AS_IT_IS: Final = (Way("", ""),)


@dataclass(frozen=True, slots=True)
class Item:
    """What is sent, and the way back to where it was written."""

    document: Document
    value: Mapping[str, AnyJson]
    ways: tuple[Way, ...] = AS_IT_IS

    def place(self, pointer: str, *, key: bool = False) -> Place:
        """Where the file says this; in a template, the template's own place."""
        fitting = [way for way in self.ways if f"{pointer}/".startswith(f"{way.part}/")]
        way = max(fitting, key=lambda way: len(way.part), default=Way("", ""))
        inner = pointer.removeprefix(way.part)
        return self.document.place(way.at + inner, key=key or (way.named and not inner))

    def finding(self, pointer: str, message: str, hint: str = "") -> Finding:
        return Finding(self.document.source, self.place(pointer), message, hint)

    @property
    def declaration(self) -> dict[str, AnyJson]:
        """As it is sent: without what only the server writes."""
        body = {key: inner for key, inner in self.value.items() if key != "status"}
        metadata = body.get("metadata")
        if isinstance(metadata, Mapping):
            body["metadata"] = {key: inner for key, inner in metadata.items() if key not in OURS}
        return body


def step(part: str) -> str:
    """One step of a JSON pointer."""
    return "/" + part.replace("~", "~0").replace("/", "~1")
