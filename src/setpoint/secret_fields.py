"""The one rule for what is secret: by the name of a field, or by what a value looks like.

The API, the command line, loops and the console hide by this rule. It is written as regular expressions that
mean the same in Python and in JavaScript: `scripts/docs` writes them into `console/src/words/secrets.ts`.

A name is read as words: `privateKey`, `PRIVATE-KEY` and `private_key` are the same. It is secret where one of
these words is a secret of its own (`token`, `password`), or a key with a word before it that says which
(`api_key`). It is not where its last word says that it is about the secret: `token_ttl`, `secret_name`.
"""

import re
from typing import Any, Final

AnyJson = Any
REFERENCE: Final = "secret://"
"""How a reference to a secret begins: a name, and not what is kept under it."""

_ALSO_JOINED: Final = "token|secret|password|passwd|passphrase|credential"
"""Words that are secret behind others too, as in `authtoken`."""
_ALONE: Final = "pwd|psk|authorization"
_KEYS: Final = (
    "api|app|private|secret|signing|encryption|decryption|access|master|session|auth|shared|preshared|hmac|aes|jwt"
    "|tls|ssl|deploy|license|licence|webhook|storage|client|server|root|recovery|activation"
)
"""Which keys are secret; a `public_key`, a `primary_key` and a plain `key` are not."""
_ABOUT: Final = (
    "id|ids|name|names|ttl|second|seconds|minute|minutes|hour|hours|day|days|at|until|expires|expiry|age|type|kind"
    "|count|length|size|limit|url|uri|endpoint|path|file|version|policy|required|enabled|ref|header|algorithm"
    "|status|state|scope|scopes|issuer|audience"
)
_CURSORS: Final = r"(?:.*_)?page_token|(?:max|min|total)(?:_.*)?_tokens|(?:.*_)?tokens_per_.*"
"""Tokens that are places in a list, or counted."""

LONGEST: Final = 200
"""How much of a name is looked at, from its end."""
HUMPS: Final = (r"([a-z0-9])([A-Z])", r"([A-Z])([A-Z][a-z])")
BETWEEN: Final = r"[^A-Za-z0-9]+"
SECRET: Final = (
    rf"^(?!(?:{_CURSORS})$)(?!.*_(?:{_ABOUT})$)"
    rf"(?:.*_)?(?:[a-z0-9]*(?:{_ALSO_JOINED})|{_ALONE}|(?:{_KEYS})_?key)s?[0-9]*(?:_.*)?$"
)

_humps: Final = tuple(re.compile(pattern) for pattern in HUMPS)
_between: Final = re.compile(BETWEEN)
_secret: Final = re.compile(SECRET)

LOOKS_LIKE: Final = (
    (re.compile(r"\bsetpoint_[a-z]{2,8}_[A-Za-z0-9.]+_[A-Za-z0-9_-]{20,}"), "a credential of Setpoint"),
    (re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----"), "a private key"),
    (re.compile(r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}"), "a private key"),
)


def is_secret(field: str) -> bool:
    """Whether a field of this name holds a secret."""
    words = field[-LONGEST:]
    for hump in _humps:
        words = hump.sub(r"\1_\2", words)
    return _secret.search(_between.sub("_", words).lower()) is not None


def is_secret_path(path: str) -> bool:
    """Whether one of the fields on the way to a value is secret: `auth.password.old`."""
    return any(is_secret(field) for field in path.split("."))


def looks_secret(text: str) -> str:
    """Which credential a text holds, whatever its field is called; empty for none."""
    return next((what for pattern, what in LOOKS_LIKE if pattern.search(text)), "")


def shows_nothing(value: AnyJson) -> bool:
    """Whether a value can be shown under a secret's name: nothing, yes or no, or a reference to a secret."""
    refers = isinstance(value, str) and value.startswith(REFERENCE)
    return value is None or value == "" or isinstance(value, bool) or refers
