"""Label selectors: `k`, `!k`, `k=v`, `k==v`, `k!=v`, `k in (a,b)`, `k notin (a,b)`, joined by commas."""

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

Operator = Literal["exists", "absent", "in", "notin"]

_KEY = r"(?P<key>[A-Za-z0-9][A-Za-z0-9._/-]*)"
_VALUE = r"[A-Za-z0-9._-]*"
_FORMS: tuple[tuple[Operator, re.Pattern[str]], ...] = (
    ("absent", re.compile(rf"!\s*{_KEY}(?P<values>)")),
    ("notin", re.compile(rf"{_KEY}\s*!=\s*(?P<values>{_VALUE})")),
    ("in", re.compile(rf"{_KEY}\s*==?\s*(?P<values>{_VALUE})")),
    ("notin", re.compile(rf"{_KEY}\s+notin\s*\((?P<values>[^()]*)\)")),
    ("in", re.compile(rf"{_KEY}\s+in\s*\((?P<values>[^()]*)\)")),
    ("exists", re.compile(rf"{_KEY}(?P<values>)")),
)
# A comma inside parentheses separates values, not requirements.
_BETWEEN_REQUIREMENTS = re.compile(r",(?![^(]*\))")


class Requirement(msgspec.Struct, frozen=True):
    """One condition on the labels of an object."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def holds(self, labels: Mapping[str, str]) -> bool:
        match self.operator:
            case "exists":
                return self.key in labels
            case "absent":
                return self.key not in labels
            case "in":
                return labels.get(self.key) in self.values
            case "notin":
                return labels.get(self.key) not in self.values


Selector = tuple[Requirement, ...]


def parse(text: str) -> Selector:
    """The requirements in a selector; a ValueError names the part that cannot be read."""
    if not text.strip():
        return ()
    return tuple(_requirement(part.strip()) for part in _BETWEEN_REQUIREMENTS.split(text))


def selects(selector: Selector, labels: Mapping[str, str]) -> bool:
    """Whether labels fulfil every requirement; an empty selector selects everything."""
    return all(requirement.holds(labels) for requirement in selector)


def _requirement(part: str) -> Requirement:
    for operator, form in _FORMS:
        if found := form.fullmatch(part):
            values = frozenset(value.strip() for value in found["values"].split(","))
            return Requirement(found["key"], operator, values)
    raise ValueError(f"{part!r} is not a label requirement")
