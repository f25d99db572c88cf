"""What desired() and observe() answered, taken apart: pairs of key and value, each key once."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from setpoint.engine.errors import Rejected
from setpoint.loop.values import check_key

AnyValue = Any

SHOWN: Final = 60
EXPECTED: Final = "expected is a mapping of key to value, or pairs of them"


def pairs(title: str, answer: object) -> dict[str, AnyValue]:
    """Key -> value, all or nothing. Rejected says which method answered what."""
    if isinstance(answer, Mapping):
        return {_key(title, key): value for key, value in answer.items()}
    if answer is None:
        raise Rejected(f"{title} returned nothing; {EXPECTED}, and {{}} where there is none")
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise Rejected(f"{title} returned {shown(answer)}; {EXPECTED}")
    found: dict[str, AnyValue] = {}
    for each in answer:
        if not isinstance(each, tuple | list) or len(each) != len(("key", "value")):
            raise Rejected(f"{title} gave {shown(each)}; {EXPECTED}")
        key = _key(title, each[0])
        if key in found:
            raise Rejected(f"{title} gave the key {key!r} twice; each key names one thing")
        found[key] = each[1]
    return found


def shown(value: object) -> str:
    """A value and its type, short enough for a sentence."""
    text = repr(value)
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return f"{text} ({type(value).__name__})"


def _key(title: str, key: object) -> str:
    try:
        return check_key(key)
    except ValueError as error:
        raise Rejected(f"{title}: {error}") from error
