"""The door that every request comes in by: it gets its names, and what no handler should see is refused."""

from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_to_bytes

from msgspec import Struct
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setpoint.api.arrival import Arrival
from setpoint.api.headers import completed
from setpoint.api.problem import Refused, problem
from setpoint.api.trace import CURRENT, HEADERS, KEY, REQUEST_ID, Trace, trace_of
from setpoint.log import Log

LONGEST_URL: Final = 8_192
LONGEST_HEADERS: Final = 32_768
READS: Final = ("GET", "HEAD", "OPTIONS")
REFUSED: Final = 400
QUIET: Final = ("/v1/agent/heartbeat",)
"""Written all the time, by machines: a line for each would bury the others."""

log = Log("api")


class Entrance(Struct, frozen=True):
    """Middleware. `logs`: whether changes and refusals get a line in the log."""

    app: ASGIApp
    new_id: Callable[[], str]
    monotonic: Callable[[], float]
    logs: bool
    arrival: Arrival = Arrival()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        trace, began = trace_of(scope["headers"], self.new_id), self.monotonic()
        scope[KEY] = trace
        CURRENT.set(trace)

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(REQUEST_ID, trace.request.encode()), *scope.get(HEADERS, ())]
                message["headers"] = completed(message["headers"], more, scope["path"])
                self._log(scope, trace, message["status"], began)
            await send(message)

        refused = _doubt(scope) or self.arrival.noted(scope)
        if refused is not None:
            await problem(Request(scope), refused)(scope, receive, answered)
            return
        await self.app(scope, receive, answered)

    def _log(self, scope: Scope, trace: Trace, status: int, began: float) -> None:
        quiet = status < REFUSED and (scope["method"] in READS or scope["path"] in QUIET)
        if quiet or not self.logs:
            return
        seconds = self.monotonic() - began
        log.info(
            "request",
            method=scope["method"],
            path=scope["path"],
            status=status,
            who=scope.get("setpoint.who", ""),
            milliseconds=round(seconds * 1000, 1),
            request_id=trace.request,
            trace_id=trace.trace,
        )


def _doubt(scope: Scope) -> Refused | None:
    """What is wrong with a request before anybody looks at what it asks for."""
    path, query = scope.get("raw_path") or b"", scope["query_string"]
    length = len(path) + len(query)
    if length > LONGEST_URL:
        detail = f"the address has {length} characters; at most {LONGEST_URL} are read"
        return Refused(414, "address_too_long", detail, hint="send it in the body, or ask for less at once")
    sent = sum([len(name) + len(value) for name, value in scope["headers"]])
    if sent > LONGEST_HEADERS:
        detail = f"the headers have {sent} characters; at most {LONGEST_HEADERS} are read"
        return Refused(431, "headers_too_large", detail, hint="send fewer or shorter headers")
    try:
        for part in (path, query):
            if b"%" in part or not part.isascii():
                unquote_to_bytes(part).decode()
    except UnicodeDecodeError as error:
        detail = f"the address is not UTF-8: {error.reason} at {error.start}"
        return Refused(400, "not_utf8", detail, hint="percent-encode the UTF-8 bytes of each character")
    return None
