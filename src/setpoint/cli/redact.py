"""What must not be shown: the values of fields whose name says that they are secret."""

import re
from typing import Any, Final

AnyJson = Any
HIDDEN: Final = "(hidden)"
REFERENCE: Final = "secret://"

_SECRET: Final = re.compile(r"(^|[_\-.]|(?<=[a-z0-9])(?=[A-Z]))(token|secret|password|passphrase)s?$", re.I)


def is_secret(field: str) -> bool:
    """By the last word of the name: `api_token` is, `token_ttl` is not."""
    return _SECRET.search(field) is not None


def redacted(value: AnyJson, field: str = "") -> AnyJson:
    """The same value with secrets replaced; references to secrets are names, and stay."""
    if field and is_secret(field):
        return value if _shows_nothing(value) else HIDDEN
    if isinstance(value, dict):
        return {key: redacted(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(inner) for inner in value]
    return value


def _shows_nothing(value: AnyJson) -> bool:
    refers = isinstance(value, str) and value.startswith(REFERENCE)
    return value is None or isinstance(value, bool) or refers
