"""A client that costs little: connections that are kept, a request on each, then an answer from each."""

import json
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

AnyJson = Any
CONNECTIONS: Final = 8
SECONDS: Final = 60.0
IDLE: Final = 30.0


class Answer(NamedTuple):
    """What a server said; the names of headers are lower case."""

    status: int
    headers: Mapping[bytes, bytes]
    body: bytes


class Client:
    """Requests as bytes, answers as values."""

    def __init__(self, url: str, token: str) -> None:
        where = urlsplit(url)
        self._host, self._token = where.netloc, token
        self._address = (str(where.hostname), int(where.port or 80))
        self._lines: list[socket.socket] = []
        self._used = time.monotonic()

    def asked(self, method: str, path: str, body: AnyJson = None) -> bytes:
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {self._token}\r\n"
        kind = f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n" if sent else ""
        return f"{head}{kind}\r\n".encode() + sent

    def all(self, requests: Sequence[bytes]) -> list[Answer]:
        """The answers, in the order of the requests."""
        self._connect()
        found = []
        for begin in range(0, len(requests), CONNECTIONS):
            batch = requests[begin : begin + CONNECTIONS]
            for line, request in zip(self._lines, batch, strict=False):
                line.sendall(request)
            found += [_answer(line) for line in self._lines[: len(batch)]]
        return found

    def _connect(self) -> None:
        """Anew where nothing was asked for longer than a server keeps a connection for."""
        if time.monotonic() - self._used > IDLE or not self._lines:
            self.close()
            self._lines = [socket.create_connection(self._address, SECONDS) for _ in range(CONNECTIONS)]
        self._used = time.monotonic()

    def close(self) -> None:
        for line in self._lines:
            line.close()


def _answer(line: socket.socket) -> Answer:
    got = b""
    while b"\r\n\r\n" not in got:
        got += _more(line)
    head, _, body = got.partition(b"\r\n\r\n")
    fields = dict(each.lower().split(b": ", 1) for each in head.split(b"\r\n")[1:])
    length = int(fields[b"content-length"])
    parts, have = [body], len(body)
    while have < length:
        parts.append(more := _more(line))
        have += len(more)
    return Answer(int(head.split(b" ", 2)[1]), fields, b"".join(parts))


def _more(line: socket.socket) -> bytes:
    if not (got := line.recv(1 << 18)):
        raise ConnectionError("the server hung up")
    return got
