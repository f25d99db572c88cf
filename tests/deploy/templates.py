"""A renderer for exactly the part of Go templates that our chart uses. It is not Helm.

There is no Helm on the machines of these tests. Known here: `{{ .Path }}`, `{{ $name.path }}`, pipes, `if`,
`else if`, `else`, `range $key, $value :=`, `define`, `include`, `eq`, `index`, `default`, `quote`, `toYaml`,
`nindent`, comments, `{{-` and `-}}`. Anything else is an error: the chart stays within what is tested.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

AnyValue = Any
Scope = dict[str, AnyValue]
TAG = re.compile(r"\{\{(-?)\s*(/\*.*?\*/|.*?)\s*(-?)\}\}", re.DOTALL)
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
LOOP = re.compile(r"range (\$\w+), (\$\w+) := (.+)")


class Unknown(Exception):
    """Something that this renderer does not do; perhaps Helm does."""


@dataclass
class Block:
    """What stands between an opening tag and its `end`: text, tags, and blocks again."""

    opening: str
    parts: list["str | Tag | Block"] = field(default_factory=list)


@dataclass(frozen=True)
class Tag:
    words: str


@dataclass
class Renderer:
    """All templates of a chart, which know each other's definitions."""

    defined: dict[str, Block] = field(default_factory=dict)

    def add(self, text: str) -> Block:
        """Reads a file; what it defines can be included from any other."""
        top = _tree(text)
        for part in top.parts:
            if isinstance(part, Block) and part.opening.startswith("define "):
                self.defined[_literal(part.opening.split(" ", 1)[1])] = part
        return top

    def render(self, block: Block, scope: Scope) -> str:
        return "".join(
            self._part(part, scope) for part in _taken(block, lambda words: self._value(words, scope))
        )

    def _part(self, part: "str | Tag | Block", scope: Scope) -> str:
        match part:
            case str():
                return part
            case Tag(words):
                return _text(self._value(words, scope))
            case Block(opening) if opening.startswith("define "):
                return ""
            case Block(opening) if opening.startswith("if "):
                return self.render(part, scope)
            case Block(opening) if loop := LOOP.fullmatch(opening):
                key, value, over = loop.groups()
                # In the order of the names, as Go has it for maps.
                pairs = sorted(self._value(over, scope).items())
                return "".join(self.render(part, {**scope, key: k, value: v}) for k, v in pairs)
        raise Unknown(str(part))

    def _value(self, words: str, scope: Scope) -> AnyValue:
        first, *pipes = words.split(" | ")
        value = self._call(WORD.findall(first), scope, ())
        for pipe in pipes:
            value = self._call(WORD.findall(pipe), scope, (value,))
        return value

    def _call(self, words: list[str], scope: Scope, last: tuple[AnyValue, ...]) -> AnyValue:
        name, *rest = words
        if not last and not rest and name.startswith((".", "$", '"')):
            return _looked_up(name, scope)
        given = (*(_looked_up(word, scope) for word in rest), *last)
        if name == "include":
            called, dot = given
            return self.render(self.defined[called], {"$": dot, ".": dot}).strip("\n")
        if name not in FUNCTIONS:
            raise Unknown(" ".join(words))
        return FUNCTIONS[name](*given)


FUNCTIONS: Mapping[str, Callable[..., AnyValue]] = {
    "default": lambda usual, value: value or usual,
    "eq": lambda left, right: left == right,
    "index": lambda mapping, key: mapping[key],
    "nindent": lambda spaces, text: "".join(
        f"\n{' ' * spaces}{line}" if line else "\n" for line in text.splitlines()
    ),
    "quote": lambda value: '"' + _text(value).replace("\\", "\\\\").replace('"', '\\"') + '"',
    "toYaml": lambda value: yaml.safe_dump(value, default_flow_style=False).rstrip("\n"),
}


def _tree(text: str) -> Block:
    stack = [Block("")]
    for piece in _pieces(text):
        words = piece.words if isinstance(piece, Tag) else ""
        if isinstance(piece, Tag) and words.split(" ")[0] in ("if", "range", "define"):
            block = Block(words)
            stack[-1].parts.append(block)
            stack.append(block)
        elif words == "end":
            stack.pop()
        else:
            stack[-1].parts.append(piece)
    (top,) = stack
    return top


def _pieces(text: str) -> Iterator[str | Tag]:
    at, trims = 0, False
    for found in TAG.finditer(text):
        before = text[at : found.start()]
        before = before.lstrip() if trims else before
        yield before.rstrip() if found[1] else before
        if not found[2].startswith("/*"):
            yield Tag(found[2])
        at, trims = found.end(), bool(found[3])
    yield text[at:].lstrip() if trims else text[at:]


def _taken(block: Block, value: Callable[[str], AnyValue]) -> list["str | Tag | Block"]:
    """The parts of an `if` on the way that is taken; of anything else, all parts."""
    if not block.opening.startswith("if "):
        return block.parts
    ways: list[tuple[str, list[str | Tag | Block]]] = [(block.opening, [])]
    for part in block.parts:
        if isinstance(part, Tag) and part.words.split(" ")[0] == "else":
            ways.append((part.words.removeprefix("else").strip() or 'if "yes"', []))
        else:
            ways[-1][1].append(part)
    return next((parts for words, parts in ways if value(words.removeprefix("if "))), [])


def _looked_up(word: str, scope: Scope) -> AnyValue:
    if word.startswith('"'):
        return _literal(word)
    if word.isdigit():
        return int(word)
    name, *path = word.split(".")
    found = scope[name or "."]
    for step in filter(None, path):
        # A value that is nowhere would silently be empty in Helm; here it is a mistake.
        found = found[step]
    return found


def _literal(word: str) -> str:
    return str(yaml.safe_load(word))


def _text(value: AnyValue) -> str:
    return (
        {True: "true", False: "false", None: ""}.get(value, value) if isinstance(value, bool) else str(value)
    )
