"""Small variables in files: `${name}`, `${name:-default}` and `for_each`; nothing more."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from setpoint.cli.item import step
from setpoint.cli.suggest import did_you_mean

AnyJson = Any
EACH: Final = "each"
FOR_EACH: Final = "for_each"
VARIABLES: Final = "variables"
NAME: Final = re.compile(r"[a-z][a-z0-9_]*\Z")
_PLACE: Final = re.compile(r"(?P<dollars>\$+)\{(?P<inside>[^{}]*)\}")
_INSIDE: Final = re.compile(r"(?P<name>[a-z][a-z0-9_]*(?:\.[A-Za-z0-9_-]+)?)(?::-(?P<default>.*))?\Z", re.S)
SCALARS: Final = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A mistake at a place of the document."""

    at: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Values:
    """What the names stand for; without any, text is taken as it is."""

    known: Mapping[str, AnyJson] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.known)

    def having(self, more: Mapping[str, AnyJson]) -> "Values":
        return Values({**self.known, **more})

    def filled(self, value: AnyJson, at: str, wrong: list[Wrong]) -> AnyJson:
        """The value with every name replaced, at every depth; what a key says stays."""
        if not self:
            return value
        if isinstance(value, str):
            return self.text(value, at, wrong)
        if isinstance(value, Mapping):
            return {key: self.filled(inner, at + step(str(key)), wrong) for key, inner in value.items()}
        if isinstance(value, Sequence):
            return [self.filled(inner, f"{at}/{index}", wrong) for index, inner in enumerate(value)]
        return value

    def text(self, text: str, at: str, wrong: list[Wrong]) -> AnyJson:
        """A text that is nothing but one name keeps the type of what it stands for."""
        if not self:
            return text
        whole = _PLACE.fullmatch(text)
        if whole is not None and whole["dollars"] == "$":
            return self._meant(whole["inside"], at, wrong)
        return _PLACE.sub(lambda found: self._written(found, at, wrong), text)

    def _written(self, found: re.Match[str], at: str, wrong: list[Wrong]) -> str:
        """Two dollars are one; an even number of them leaves the braces alone."""
        dollars = len(found["dollars"])
        kept = "$" * (dollars // 2)
        if dollars % 2 == 0:
            return f"{kept}{{{found['inside']}}}"
        value = self._meant(found["inside"], at, wrong)
        if value is not None and not isinstance(value, SCALARS):
            message = f"${{{found['inside']}}} is {_a(value)}, and cannot be part of a text"
            wrong.append(Wrong(at, message, "let it stand alone, or name a single value"))
        return kept + _spelt(value)

    def _meant(self, inside: str, at: str, wrong: list[Wrong]) -> AnyJson:
        said = _INSIDE.match(inside)
        if said is None:
            message = f"${{{inside}}} is no name"
            wrong.append(Wrong(at, message, "write ${name} or ${name:-default}; $${ is a plain ${"))
            return None
        name, _, inner = said["name"].partition(".")
        found = self.known.get(name)
        if inner and isinstance(found, Mapping):
            found = found.get(inner)
        elif inner:
            found = None
        if found is not None:
            return found
        if said["default"] is not None:
            return said["default"]
        wrong.append(self._unknown(said["name"], name, at))
        return None

    def _unknown(self, said: str, name: str, at: str) -> Wrong:
        if name in self.known and said == name:
            return Wrong(at, f"{said} has no value", f"give it one: --var {said}=VALUE")
        if name in self.known:
            inside = self.known[name]
            known = [f"{name}.{key}" for key in inside] if isinstance(inside, Mapping) else [name]
        else:
            known = list(self.known)
        hint = "; ".join((*did_you_mean(said, known), f"known are {', '.join(known)}"))
        return Wrong(at, f"there is no variable {said}", hint)


def declared_in(value: AnyJson, at: str, wrong: list[Wrong]) -> dict[str, AnyJson]:
    """The variables of one block, with their defaults."""
    if not isinstance(value, Mapping):
        wrong.append(Wrong(at, "variables are values by name", "variables: {size: cx22}"))
        return {}
    wrong += [
        Wrong(at + step(str(name)), f"{name!r} cannot name a variable", "a-z 0-9 _, and not each")
        for name in value
        if not NAME.match(str(name)) or name == EACH
    ]
    return dict(value)


def turns(body: Mapping[str, AnyJson], values: Values, at: str, wrong: list[Wrong]) -> Iterator[Values]:
    """The values for each copy of an item: as they are, or once for each element of its `for_each`."""
    if FOR_EACH not in body:
        yield values
        return
    place = at + step(FOR_EACH)
    over = values.filled(body[FOR_EACH], place, wrong)
    if isinstance(over, Mapping):
        over = [{"key": key, "value": inner} for key, inner in over.items()]
    if not isinstance(over, list):
        wrong.append(Wrong(place, "for_each needs a list or a mapping", "for_each: [one, two]"))
        return
    for element in over:
        yield values.having({EACH: element})


def _spelt(value: AnyJson) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _a(value: AnyJson) -> str:
    return "a mapping" if isinstance(value, Mapping) else "a list"
