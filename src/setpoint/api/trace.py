"""What a request is called, and the trace it belongs to (W3C trace context)."""

import hashlib
import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Final

from msgspec import Struct
from starlette.types import Scope

REQUEST_ID: Final = "X-Request-Id"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}\Z")
PARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?\Z"
)
"""A `traceparent` of version 00, or of a later one that begins in the same way."""
_REQUEST_ID: Final = b"x-request-id"
_PARENT: Final = b"traceparent"
KEY: Final = "setpoint.trace"
HEADERS: Final = "setpoint.headers"
"""Where in the scope of a request there are more headers for its answer, whatever that is."""


class Trace(Struct, frozen=True):
    """The request's own id, and the trace's."""

    request: str
    trace: str


CURRENT: Final[ContextVar[Trace | None]] = ContextVar("trace", default=None)
"""Of the request that this task answers."""


def trace_of(headers: Iterable[tuple[bytes, bytes]], new_id: Callable[[], str]) -> Trace:
    """As the caller says, where that is well formed; otherwise made here."""
    request = trace = ""
    for name, value in headers:
        if name == _REQUEST_ID and not request and NAME.match(said := value.decode("latin-1")):
            request = said
        elif name == _PARENT and not trace and (parent := PARENT.match(value.decode("latin-1"))):
            trace = parent[1]
    made = new_id()
    # Not from the caller's own id: two callers may use the same one.
    return Trace(request or made, trace or hashlib.sha256(made.encode()).hexdigest()[:32])


def known(scope: Scope) -> Trace | None:
    """That of a request which came in through the entrance."""
    found = scope.get(KEY)
    return found if isinstance(found, Trace) else None
