"""Just enough HTTP for a page on this machine: one request per connection, small, and in time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs

from setpoint.engine.errors import FAILURES

HEAD_BYTES: Final = 16_384
BODY_BYTES: Final = 4_096
PATIENCE: Final = 10.0
HERE: Final = "127.0.0.1"
NAMES: Final = (HERE, "localhost")
WORDS: Final[Mapping[int, str]] = {
    200: "OK",
    303: "See Other",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    500: "Internal Server Error",
}
PLAIN: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for."""

    method: str
    path: str
    headers: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What they get."""

    status: int
    body: str = ""
    media_type: str = PLAIN
    headers: Mapping[str, str] = field(default_factory=dict)


Answering = Callable[[Request], Awaitable[Answer]]


class Unfit(Exception):
    """Not a request we answer."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


async def listening(port: int, answering: Answering) -> asyncio.Server:
    """A server on this machine only; port 0 picks a free one."""

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                writer.write(await _answered(reader, answering))
                await writer.drain()
        except (OSError, TimeoutError):
            return  # Whoever asked has gone, or never finished asking.
        finally:
            writer.close()

    return await asyncio.start_server(served, HERE, port, limit=HEAD_BYTES)


def port_of(server: asyncio.Server) -> int:
    number: int = server.sockets[0].getsockname()[1]
    return number


def foreign(request: Request, port: int) -> str:
    """Why this request is not from this machine's own page; empty when it is.

    Another site can make a browser send anything here, but not under our name and from our origin.
    """
    hosts = {f"{name}:{port}" for name in NAMES}
    if request.headers.get("host", "") not in hosts:
        return f"this page is at http://{HERE}:{port}, and answers to no other name"
    origin = request.headers.get("origin")
    if request.method == "POST" and origin is not None and origin not in {f"http://{h}" for h in hosts}:
        return "this form was sent by another site"
    return ""


async def _answered(reader: asyncio.StreamReader, answering: Answering) -> bytes:
    bare = False
    try:
        request = await _request(reader)
        bare = request.method == "HEAD"
        answer = await answering(request)
    except Unfit as error:
        answer = Answer(error.status, f"{error}\n")
    except FAILURES as error:
        answer = Answer(500, f"{error}\n")
    return written(answer, bare=bare)


async def _request(reader: asyncio.StreamReader) -> Request:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.LimitOverrunError as error:
        raise Unfit(413, "that is too long") from error
    except asyncio.IncompleteReadError as error:
        raise Unfit(400, "that is no request") from error
    first, *rest = head.split("\r\n")
    method, _, target = first.partition(" ")
    path, _, version = target.partition(" ")
    if not version.startswith("HTTP/1.") or not path.startswith("/"):
        raise Unfit(400, "that is no request")
    headers = {name.strip().lower(): value.strip() for name, _, value in (row.partition(":") for row in rest)}
    form = await _form(reader, headers) if method == "POST" else {}
    return Request(method, path.partition("?")[0], headers, form)


async def _form(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> dict[str, str]:
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > BODY_BYTES:
        raise Unfit(413, "that is too long")
    try:
        body = (await reader.readexactly(int(length))).decode()
        fields = parse_qs(body, keep_blank_values=True, max_num_fields=20)
    except (asyncio.IncompleteReadError, ValueError) as error:
        raise Unfit(400, "that is no form") from error
    return {name: values[-1] for name, values in fields.items()}


def written(answer: Answer, *, bare: bool = False) -> bytes:
    """The answer as bytes; `bare` for a HEAD."""
    body = answer.body.encode()
    headers = {
        "Content-Type": answer.media_type,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
        **answer.headers,
    }
    lines = [f"HTTP/1.1 {answer.status} {WORDS[answer.status]}", *(f"{n}: {v}" for n, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (b"" if bare else body)
