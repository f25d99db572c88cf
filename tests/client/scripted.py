"""A tiny scripted HTTP server over real sockets, which remembers what it was asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

AnyJson = Any
Headers = dict[str, str]


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    method: str
    path: str
    query: dict[str, str]
    body: AnyJson
    headers: Headers


@dataclass(frozen=True)
class Told:
    """One answer; `stream` writes a body of its own for as long as it likes."""

    status: int = 200
    body: AnyJson = None
    headers: Headers = field(default_factory=dict)
    stream: Callable[[Callable[[bytes], None]], None] | None = None


Script = Callable[[Asked], Told]


class Server:
    """A script on a socket."""

    def __init__(self, script: Script) -> None:
        self.asked: list[Asked] = []
        self.closed = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, script))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @contextmanager
    def serving(self) -> Iterator["Server"]:
        thread = threading.Thread(target=self._http.serve_forever, args=(0.002,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.closed.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def paths(self, method: str = "") -> list[str]:
        return [asked.path for asked in self.asked if method in ("", asked.method)]


def _handler(server: Server, script: Script) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - a class inside
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for the acknowledgement of its head

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            body = json.loads(raw) if raw else None
            asked = Asked(self.command, unquote(parts.path), query, body, dict(self.headers.items()))
            server.asked.append(asked)
            self._tell(script(asked))

        def _tell(self, told: Told) -> None:
            if told.stream is not None:
                self.send_response(told.status)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                told.stream(self._write)
                return
            raw = told.body if isinstance(told.body, bytes) else json.dumps(told.body).encode()
            self.send_response(told.status)
            for name, value in {"Content-Length": str(len(raw)), **told.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def _write(self, raw: bytes) -> None:
            self.wfile.write(raw)
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, TimeoutError):
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - names are the library's

    return Handler
