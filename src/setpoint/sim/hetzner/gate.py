"""The gate: every request passes the token, the rate limit and the faults before a resource sees it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setpoint.sim.hetzner.answers import answer, below_v1, call_of
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.faults import AFTER, BEFORE, Fault
from setpoint.sim.hetzner.rate import whole_seconds
from setpoint.sim.hetzner.refusal import Refusal
from setpoint.sim.serve import DROP

_CODES = {
    403: "resource_limit_exceeded",
    409: "conflict",
    412: "resource_unavailable",
    423: "locked",
    429: "rate_limit_exceeded",
    500: "server_error",
    502: "bad_gateway",
    503: "unavailable",
    504: "timeout",
}


class Gate:
    """Stands before the application; knows nothing of resources."""

    def __init__(self, app: ASGIApp, cloud: Cloud, requests: Counter[str]) -> None:
        self._app = app
        self._cloud = cloud
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            token = self._known_token(request)
            if request.url.path.startswith("/_sim/"):
                await self._app(scope, receive, send)
                return
            self._require_not_revoked(token)
        except Refusal as refusal:
            await _refuse(refusal, request, send)
            return
        await self._within_limit(request, send)

    def _known_token(self, request: Request) -> str:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not token:
            raise Refusal(401, "unauthorized", "token is required")
        if token not in self._cloud.settings.tokens:
            raise Refusal(401, "unauthorized", "the token you have provided is invalid")
        return token

    def _require_not_revoked(self, token: str) -> None:
        if self._cloud.faults.is_revoked(token):
            self._cloud.faults.count("revoked_token")
            raise Refusal(401, "unauthorized", "the token you have provided is invalid")

    async def _within_limit(self, request: Request, send: Send) -> None:
        limiter = self._cloud.limiter
        may_pass, said = limiter.take(self._cloud.now())
        telling = _with_headers(send, said)
        if may_pass:
            await self._pass(request, telling)
            return
        limit = limiter.limit
        message = f"limit of {limit.calls} requests per {limit.seconds:g} seconds reached"
        refusal = Refusal(429, "rate_limit_exceeded", message)
        self._cloud.faults.count("rate_limit_exceeded")
        self._count(request)
        await _refuse(refusal, request, telling)

    async def _pass(self, request: Request, send: Send) -> None:
        call = call_of(request)
        for fault in self._cloud.faults.draw(call, BEFORE):
            if fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
            else:
                self._count(request)
                await _go_wrong(fault, request, send)
                return
        after = self._cloud.faults.draw(call, AFTER)
        await self._app(request.scope, request.receive, _into_the_void if after else send)
        self._count(request)
        if after:
            await _hang_up(request, after[0].seconds)

    def _count(self, request: Request) -> None:
        # A request that reached no resource is counted by the path it asked for.
        route = request.scope.get("route")
        path = route.path if isinstance(route, Route) else below_v1(request.url.path)
        path = path.replace(":int}", "}")
        self._requests[f"{request.method} {path}"] += 1


async def _go_wrong(fault: Fault, request: Request, send: Send) -> None:
    if fault.kind == "timeout_before":
        await _hang_up(request, fault.seconds)
        return
    code = _CODES.get(fault.status, "server_error")
    if fault.status == HTTPStatus.TOO_MANY_REQUESTS:
        send = _with_headers(send, {"Retry-After": whole_seconds(fault.seconds)})
    await _refuse(Refusal(fault.status, code, "a fault was asked for here"), request, send)


async def _refuse(refusal: Refusal, request: Request, send: Send) -> None:
    await answer(refusal.status, refusal.body())(request.scope, request.receive, send)


async def _hang_up(request: Request, seconds: float) -> None:
    """Keeps the caller waiting, then drops the connection; a caller that leaves first ends it too."""
    try:
        await asyncio.wait_for(_left(request.receive), seconds)
    except TimeoutError:
        drop: Callable[[], None] = request.scope["extensions"][DROP]
        drop()
        await _left(request.receive)


async def _left(receive: Callable[[], Awaitable[Message]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _into_the_void(message: Message) -> None:
    """A reply that never arrives."""


def _with_headers(send: Send, extra: dict[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(extra)
        await send(message)

    return sending
