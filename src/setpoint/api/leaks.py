"""Secrets where they do not belong: declared things name a secret, they never hold one."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import json

from setpoint.engine.errors import Mistake
from setpoint.secret_fields import looks_secret

AnyJson = Any
NAMED: Final = "^secret://"
"""How the pattern begins of every field that names a secret."""
CURE: Final = "keep it with: setpoint secret set NAME, and write secret://NAME here"
LIKELY: Final = re.compile(rb"setpoint_|-----BEGIN |AGE-SECRET-KEY-")
"""What each of them has in it, and JSON spells as it is: one look tells that a value holds none of them."""


def plain(pointer: str, what: str = "a secret") -> Mistake:
    """Without the value: whoever reads the answer is not who may read the secret."""
    message = f"{what} is written here; declarations name secrets and never hold them"
    return Mistake(pointer=pointer, code="plain_secret", message=message, hint=CURE)


def leaks(value: AnyJson, pointer: str) -> list[Mistake]:
    """Everything in it that looks like a credential, whatever its field is called."""
    return list(_found(value, pointer)) if LIKELY.search(json.encode(value)) else []


def _found(value: AnyJson, pointer: str) -> Iterator[Mistake]:
    if isinstance(value, str):
        if what := looks_secret(value):
            yield plain(pointer, what)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _found(inner, f"{pointer}/{str(key)[:64].replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _found(inner, f"{pointer}/{index}")
