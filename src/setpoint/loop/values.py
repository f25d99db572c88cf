"""A loop's own values and their one spelling: canonical JSON to compare and to store, and back again."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AnySet
from hashlib import blake2b
from math import isfinite
from pathlib import PurePath
from typing import Any, Final

from msgspec import ValidationError, convert, json, to_builtins

from setpoint.words import add_article

AnyValue = Any
AnyJson = Any

_EXACT: Final = 2**53  # Up to here a whole float is exactly the integer it looks like.


def spelled(value: AnyValue) -> bytes:
    """The one spelling of this value: two values are the same if these bytes are. Or ValueError."""
    try:
        text = _ENCODER.encode(value)
    except TypeError:
        return _spelled_slowly(value)  # Keys inside it may be other than text.
    except (ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"JSON cannot say it: {error}") from error
    # Rare enough to look again: a number that JSON has no word for became null, 1.0 is an answer to 1.
    return _spelled_slowly(value) if b"null" in text or b".0" in text else text


def told(text: bytes) -> AnyJson:
    """What these bytes say, as plain JSON."""
    return json.decode(text)


def like(example: AnyValue, plain: AnyJson) -> AnyValue:
    """Plain JSON as the sort of value that the example is. Or ValueError."""
    sort = type(example)
    if isinstance(example, dict | list | str | int | float) or example is None:
        return plain
    for validate in ("model_validate", "parse_obj"):  # pydantic, of either age
        if callable(made := getattr(sort, validate, None)):
            return made(plain)
    try:
        return convert(plain, sort, strict=False)
    except (ValidationError, TypeError) as error:
        raise ValueError(f"{plain!r} is not {add_article(sort.__name__)}: {error}") from error


def check_key(key: object) -> str:
    """A key that can be stored, shown on one line and approved. Or ValueError."""
    if not isinstance(key, str):
        sort = add_article(type(key).__name__)
        raise ValueError(f"the key {key!r} is {sort}; keys are text, so spell it with str()")  # noqa: TRY004
    if not key:
        raise ValueError("a key is empty text; every item needs a name")
    if not key.isprintable():
        raise ValueError(f"the key {key!r} has a character that cannot be shown on one line")
    return key


def _spelled_slowly(value: AnyValue) -> bytes:
    try:
        plain = to_builtins(value, enc_hook=_simpler, str_keys=True, order="sorted")
        return json.encode(_exact(plain), order="sorted")
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"JSON cannot say it: {error}") from error


def _simpler(value: AnyValue) -> AnyJson:
    """What msgspec does not know, in words that it does."""
    if hasattr(value, "get_secret_value"):
        # What is compared and stored must not give it away; the loop gets the secret itself.
        return f"secret:{blake2b(repr(value.get_secret_value()).encode(), digest_size=16).hexdigest()}"
    for sign, dump in (("model_dump", "model_dump"), ("__fields__", "dict")):  # pydantic, of either age
        if hasattr(type(value), sign):
            return getattr(value, dump)()
    if isinstance(value, PurePath) or type(value).__module__.startswith(("ipaddress", "pydantic")):
        return str(value)
    for sort, plain in ((Mapping, dict), (AnySet, set), (Sequence, list)):
        if isinstance(value, sort):
            return plain(value)
    raise TypeError(f"a value in it is {add_article(type(value).__qualname__)}")


def _exact(plain: AnyJson) -> AnyJson:
    if isinstance(plain, dict):
        return {key: _exact(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_exact(value) for value in plain]
    if not isinstance(plain, float):
        return plain
    if not isfinite(plain):
        raise ValueError(f"there is {add_article(str(plain))} in it")
    return int(plain) if plain.is_integer() and abs(plain) < _EXACT else plain


_ENCODER: Final = json.Encoder(enc_hook=_simpler, order="sorted")
