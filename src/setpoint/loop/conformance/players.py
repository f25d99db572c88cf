"""Which keys and values a check plays with: handed in, or made up from what the loop itself wants. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from setpoint.engine.plan import Absence
from setpoint.loop.conformance.world import World, spelling
from setpoint.loop.values import like, told

AnyValue = Any

VALUES: Final = 5
BYSTANDERS: Final = 3


@dataclass(frozen=True, slots=True)
class Players:
    """`key` is made, changed and taken away; bystanders must not notice."""

    key: str
    values: tuple[AnyValue, ...]
    """Different values for `key`; the first is the most ordinary one."""
    guess: AnyValue = None
    """One more, made up: perhaps not allowed."""
    second: tuple[tuple[str, AnyValue], ...] = ()
    """Another key, which begins with the first one where possible; or none."""
    bystanders: tuple[tuple[str, AnyValue], ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """Every key that is written."""
        return frozenset((self.key, *(key for key, _ in (*self.second, *self.bystanders))))


def players(
    sample: Mapping[str, AnyValue] | None, wanted: World, there: World, foreign: Collection[str] = ()
) -> Players | None:
    """None where there is nothing to make up a value from. Foreign keys are there, and not ours to touch."""
    known = sample or {**wanted.values, **there.values}
    examples = {key: value for key, value in known.items() if not isinstance(value, Absence)}
    if not examples:
        return None
    if sample:
        source = key = _free(sample, {*there.values, *foreign})
        second = tuple((k, v) for k, v in sample.items() if k != key and k not in there.values)[:1]
    else:
        source = next(iter(examples))
        key = invented(source, {*examples, *foreign})
        longer = invented(key, {*examples, *foreign})
        second = ((longer, renamed(examples[source], source, longer)),)
    in_order = (source, *(each for each in examples if each != source))
    values = tuple(_distinct(renamed(examples[each], each, key) for each in in_order))[:VALUES]
    taken = {*there.values, *foreign}
    others = {k: v for k, v in {**wanted.values, **(sample or {})}.items() if k not in taken}
    playing = {key, *(k for k, _ in second)}
    return Players(
        key=key,
        values=values,
        guess=_other_than(values, altered(values[0])),
        second=second,
        bystanders=_bystanders(others, playing, BYSTANDERS - len(there.values)),
    )


def _free(sample: Mapping[str, AnyValue], taken: Collection[str]) -> str:
    """One that begins a longer one first: deleting by a prefix is the classic mistake."""
    free = [key for key in sample if key not in taken]
    if not free:
        raise ValueError(f"every key of the sample is there already: {', '.join(sample)}")
    return next((key for key in free if any(k != key and k.startswith(key) for k in free)), free[0])


def invented(key: str, taken: Iterable[str]) -> str:
    """A key that begins with this one and is not in use; digits stay digits."""
    while (key := f"{key}2") in taken:
        pass
    return key


def renamed(value: AnyValue, old: str, new: str) -> AnyValue:
    """A copy of a value for another key; where it holds its own key, it holds the new one."""
    if repr(old).encode()[1:-1] not in repr(value).encode():
        return deepcopy(value)
    match value:
        case str():
            return new if value == old else value
        case dict():
            return {name: renamed(held, old, new) for name, held in value.items()}
        case list() | tuple():
            return type(value)(renamed(held, old, new) for held in value)
        case _:
            plain = told(spelling(value))
            return like(value, renamed(plain, old, new)) if isinstance(plain, dict) else deepcopy(value)


def altered(value: AnyValue) -> AnyValue:
    """The same sort of value with one thing in it different, or None: a guess at what may be."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}2"
        case dict():
            return _altered_part(value)
        case _:
            return _altered_object(value)


def _other_than(values: Iterable[AnyValue], guess: AnyValue) -> AnyValue:
    return None if spelling(guess) in map(spelling, values) else guess


def _altered_part(value: Mapping[str, AnyValue]) -> AnyValue:
    """Switches before numbers before text: the likelier to be allowed."""
    for sort in (bool, int, float, str, dict):
        for name, held in value.items():
            if type(held) is sort and (changed := altered(held)) is not None:
                return {**value, name: changed}
    return None


def _altered_object(value: AnyValue) -> AnyValue:
    plain = told(spelling(value))
    changed = _altered_part(plain) if isinstance(plain, dict) else None
    try:
        return None if changed is None else like(value, changed)
    except ValueError:
        return None


def _distinct(values: Iterable[AnyValue]) -> Iterator[AnyValue]:
    seen: set[bytes] = set()
    for value in values:
        if (text := spelling(value)) not in seen:
            seen.add(text)
            yield value


def _bystanders(
    others: Mapping[str, AnyValue], playing: Collection[str], missing: int
) -> tuple[tuple[str, AnyValue], ...]:
    """Who is to be added so that there is somebody to lose."""
    return tuple((key, value) for key, value in others.items() if key not in playing)[: max(0, missing)]
