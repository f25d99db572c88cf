"""Headers that every answer has, whoever wrote it: nothing is guessed, framed, told to others or kept."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVERYWHERE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OF_THE_API: Final = {"Cache-Control": "no-store"}
Raw = list[tuple[bytes, bytes]]
"""Headers as they are sent; their names are lower case."""


def raw(headers: Mapping[str, str]) -> Raw:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


_EVERYWHERE: Final = raw(EVERYWHERE)
_OF_THE_API: Final = raw({**EVERYWHERE, **OF_THE_API})
_NAMES: Final = frozenset(name for name, _ in _OF_THE_API)


class SafeHeaders(Struct, frozen=True):
    """Around an application that has no entrance of its own."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = completed(message["headers"], [], scope.get("path", ""))
            await send(message)

        await self.app(scope, receive, marked if scope["type"] == "http" else send)


def completed(sent: Raw, more: Raw, path: str) -> Raw:
    """What is `more` takes the place of what was sent; the safe ones do not: a page may bring its own."""
    wanted, there = _OF_THE_API if path.startswith("/v1/") else _EVERYWHERE, {name for name, _ in sent}
    named = {name for name, _ in more}
    if not there.isdisjoint(named):
        sent = [each for each in sent if each[0] not in named]
    if not there.isdisjoint(_NAMES):
        wanted = [each for each in wanted if each[0] not in there]
    return [*sent, *more, *wanted]


def sent_as(name: bytes, scope: Scope) -> str:
    """The first header of this name, which is lower case; nothing where there is none."""
    for known, value in scope["headers"]:
        if known == name:
            return str(value, "latin-1")
    return ""
