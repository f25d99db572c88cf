"""YAML in, by the rules of 1.2: values with their places, and every mistake a file shows by itself."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from setpoint.cli.source import Finding, Place, Source
from setpoint.cli.yaml_rules import BOOL, FLOAT, INT, NULL, RULES, STR, integer, spelt

AnyJson = Any
DEEPEST: Final = 64
MOST_NODES: Final = 1_000_000
"""Aliases can make a small file enormous; no honest one comes near this."""
MERGE: Final = "<<"


class _Loader(yaml.CBaseLoader):
    """The C parser with none of PyYAML's own ideas of what a plain scalar means."""


for _tag, _pattern, _first in RULES:
    _Loader.add_implicit_resolver(_tag, _pattern, _first)


@dataclass(frozen=True)
class Document:
    """One document: its value, and the nodes that know where each part stands."""

    source: Source
    node: yaml.Node
    value: AnyJson

    def place(self, pointer: str, *, key: bool = False) -> Place:
        """Where a JSON pointer leads; the nearest place above it when it leads nowhere."""
        node, named = self.node, self.node
        for part in _parts(pointer):
            step = _step(node, part)
            if step is None:
                return _place(named)
            named, node = step
        # A whole list or mapping is found by its name; its first line says little.
        return _place(named if key or isinstance(node, yaml.CollectionNode) else node)


@dataclass
class _Reading:
    """What is found on the way through one document."""

    source: Source
    findings: list[Finding] = field(default_factory=list)
    nodes: int = 0

    def mistake(self, node: yaml.Node, message: str, hint: str = "") -> None:
        self.findings.append(Finding(self.source, _place(node), message, hint))


def read(source: Source) -> tuple[list[Document], list[Finding]]:
    """Every document that is not empty, and every mistake; a broken document ends its file."""
    documents: list[Document] = []
    reading = _Reading(source)
    text = spelt(source.text)
    try:
        if (place := _too_deep(text)) is not None:
            return [], [Finding(source, place, f"nested more than {DEEPEST} deep", fatal=True)]
        for node in _nodes(text):
            value = _value(node, reading, 0)
            if value is not None:
                documents.append(Document(source, node, value))
    except yaml.YAMLError as error:
        reading.findings.append(_broken(source, error))
    return documents, reading.findings


def _nodes(text: str) -> Iterator[yaml.Node]:
    loader = _Loader(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                yield node
    finally:
        loader.dispose()


def _too_deep(text: str) -> Place | None:
    """Where it is nested too deep. Asked first: composing recurses in C, and would crash there."""
    loader = _Loader(text)
    depth = 0
    try:
        while loader.check_event():
            event = loader.get_event()
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if event is not None and event.start_mark is not None and depth > DEEPEST:
                return Place(event.start_mark.line, event.start_mark.column)
    finally:
        loader.dispose()
    return None


def _value(node: yaml.Node, reading: _Reading, depth: int) -> AnyJson:
    reading.nodes += 1
    if depth > DEEPEST or reading.nodes > MOST_NODES:
        if reading.nodes <= MOST_NODES + 1:
            reading.mistake(node, f"nested more than {DEEPEST} deep" if depth > DEEPEST else "far too large")
        return None
    match node:
        case yaml.MappingNode():
            return _mapping(node, reading, depth)
        case yaml.SequenceNode():
            return [_value(inner, reading, depth + 1) for inner in node.value]
        case _:
            return _scalar(node, reading)


def _mapping(node: yaml.MappingNode, reading: _Reading, depth: int) -> dict[str, AnyJson]:
    found: dict[str, AnyJson] = {}
    first: dict[str, yaml.Node] = {}
    for key, inner in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else None
        if name is None:
            reading.mistake(key, "a key must be a word, not a list or a mapping")
            continue
        if name == MERGE and key.tag == STR and not key.style:
            reading.mistake(key, "<< is not part of YAML 1.2", "write the fields out; plain aliases work")
            continue
        if name in first:
            mark = first[name].start_mark
            where = f"the first one is at {reading.source.name}:{mark.line + 1}:{mark.column + 1}"
            reading.mistake(key, f"{name} is here twice", where)
        first.setdefault(name, key)
        found[name] = _value(inner, reading, depth + 1)
    return found


def _scalar(node: yaml.Node, reading: _Reading) -> AnyJson:
    text: str = node.value
    match node.tag:
        case t if t in (STR, "!"):
            return text
        case t if t == NULL:
            return None
        case t if t == BOOL:
            return text.lower() == "true"
        case t if t in (INT, FLOAT):
            return _number(node, reading)
        case _:
            reading.mistake(node, f"the tag {node.tag} means nothing here", "leave it out")
            return text


def _number(node: yaml.Node, reading: _Reading) -> AnyJson:
    try:
        number = integer(node.value) if node.tag == INT else float(node.value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        reading.mistake(node, f"{node.value} is no number that can be sent", "a finite one, or in quotes")
        return None
    return number


def _broken(source: Source, error: yaml.YAMLError) -> Finding:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        said = ", ".join(filter(None, (getattr(error, "context", ""), getattr(error, "problem", ""))))
        place = Place(mark.line, mark.column)
        return Finding(source, place, f"broken YAML: {said}", _cure(source, mark.line), fatal=True)
    before = source.text[: getattr(error, "position", 0) or 0]
    place = Place(before.count("\n"), len(before) - (before.rfind("\n") + 1))
    return Finding(source, place, f"broken YAML: {getattr(error, 'reason', error)}", fatal=True)


def _cure(source: Source, line: int) -> str:
    if "\t" in source.line(line)[: len(source.line(line)) - len(source.line(line).lstrip())]:
        return "indent with spaces, not tabs"
    return "look at this line and the one above: a colon, a quote or an indent is amiss"


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _step(node: yaml.Node, part: str) -> tuple[yaml.Node, yaml.Node] | None:
    """(the key, the value) that this part of a pointer names."""
    if isinstance(node, yaml.MappingNode):
        return next(((k, v) for k, v in reversed(node.value) if k.value == part), None)
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        return node.value[int(part)], node.value[int(part)]
    return None


def _place(node: yaml.Node) -> Place:
    start, end = node.start_mark, node.end_mark
    one_line = isinstance(node, yaml.ScalarNode) and end.line == start.line
    return Place(start.line, start.column, max(1, end.column - start.column) if one_line else 1)
