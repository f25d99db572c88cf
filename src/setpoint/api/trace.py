"""What a request is called, and the trace it belongs to (W3C trace context)."""

import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Final

from msgspec import Struct
from starlette.types import Scope

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}\Z")
PARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?\Z"
)
"""A `traceparent` of version 00, or of a later one that begins in the same way."""
REQUEST_ID: Final = b"x-request-id"
_PARENT: Final = b"traceparent"
KEY: Final = "setpoint.trace"
HEADERS: Final = "setpoint.headers"
"""Where in the scope of a request there are more headers for its answer, whatever that is."""


class Trace(Struct, frozen=True):
    """The request's own id, the one we made for it, and the trace that its caller said."""

    request: str
    made: str
    parent: str

    @property
    def trace(self) -> str:
        """The caller's, or one from what was made here: two callers may use the same id of their own."""
        return self.parent or self.made[-16:].encode().hex()


CURRENT: Final[ContextVar[Trace | None]] = ContextVar("trace", default=None)
"""Of the request that this task answers."""


def trace_of(headers: Iterable[tuple[bytes, bytes]], new_id: Callable[[], str]) -> Trace:
    """As the caller says, where that is well formed; otherwise made here."""
    request = parent = ""
    for name, value in headers:
        if name == REQUEST_ID and not request and NAME.match(said := value.decode("latin-1")):
            request = said
        elif name == _PARENT and not parent and (said_so := PARENT.match(value.decode("latin-1"))):
            parent = said_so[1]
    made = new_id()
    return Trace(request or made, made, parent)


def known(scope: Scope) -> Trace | None:
    """That of a request which came in through the entrance."""
    found = scope.get(KEY)
    return found if isinstance(found, Trace) else None
