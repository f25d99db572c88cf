"""The machine-readable formats: one JSON document, YAML, JSON lines, names."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from setpoint.cli.redact import redacted
from setpoint.cli.screen import PLAIN, Screen
from setpoint.cli.text import escaped

AnyJson = Any
Body = Mapping[str, AnyJson]
FORMATS: Final = ("table", "wide", "json", "yaml", "jsonl", "name")


def show(screen: Screen, body: AnyJson) -> None:
    """Any document in the format asked for; a mapping with `items` is a list of them."""
    safe = redacted(body)
    items = safe["items"] if isinstance(safe, Mapping) and isinstance(safe.get("items"), list) else None
    match screen.format:
        case "yaml":
            from setpoint.cli.yaml_writer import dumped  # noqa: PLC0415 - loading YAML takes 50 ms

            screen.data(dumped(items if items is not None else [safe]).rstrip("\n"))
        case "jsonl":
            for item in items if items is not None else [safe]:
                screen.data(escaped(json.dumps(item, ensure_ascii=False)))
        case "name":
            for item in items if items is not None else [safe]:
                screen.data(name_of(item))
        case _:
            screen.data(escaped(json.dumps(safe, ensure_ascii=False, indent=2)))


def said(screen: Screen, words: str, body: AnyJson) -> None:
    """What was done: a sentence for people, the document for programs."""
    if screen.format in PLAIN:
        screen.data(words)
    else:
        show(screen, body)


def first_of(rows: Iterable[Body], limit: int, again: str) -> tuple[list[Body], str]:
    """At most so many, and what to say where there are more; `again` is the command without its limit."""
    found = list(islice(rows, limit + 1))
    more = f"The first {limit:,}; there are more.\n  next: {again} --limit {limit * 10}"
    return found[:limit], more if len(found) > limit else ""


def listed(items: Sequence[AnyJson]) -> dict[str, AnyJson]:
    """A list as one document."""
    return {"items": list(items)}


def name_of(body: AnyJson) -> str:
    """What to call it on the command line: `host/web-1`, or an id."""
    if isinstance(body, Mapping):
        metadata = body.get("metadata")
        if isinstance(metadata, Mapping) and "name" in metadata:
            return f"{body.get('kind', '')}/{metadata['name']}"
        for key in ("id", "key", "name", "kind", "ref", "version"):
            if body.get(key):
                return str(body[key])
    return json.dumps(body, ensure_ascii=False)
