"""Headers that every answer has, whoever wrote it: nothing is guessed, framed, told to others or kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVERYWHERE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OF_THE_API: Final = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class SafeHeaders:
    """Around the whole application, so that an answer to a bug of ours has them too."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _wanted(scope.get("path", "")):
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, marked if scope["type"] == "http" else send)


def _wanted(path: str) -> Iterator[tuple[str, str]]:
    """What is not there already is added; a page of the console brings its own."""
    yield from EVERYWHERE.items()
    if path.startswith("/v1/"):
        yield from OF_THE_API.items()
