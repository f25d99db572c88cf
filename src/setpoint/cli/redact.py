"""What must not be shown is replaced, by the one rule for what is secret."""

from typing import Any, Final

from setpoint.secret_fields import is_secret, looks_secret, shows_nothing

__all__ = ["HIDDEN", "is_secret", "redacted"]

AnyJson = Any
HIDDEN: Final = "(hidden)"


def redacted(value: AnyJson, field: str = "") -> AnyJson:
    """The same value with secrets replaced; references to secrets are names, and stay."""
    if field and is_secret(field):
        return value if shows_nothing(value) else HIDDEN
    if isinstance(value, dict):
        return {key: redacted(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(inner) for inner in value]
    return HIDDEN if isinstance(value, str) and looks_secret(value) else value
