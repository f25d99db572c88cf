"""Rules of a firewall, held by a JSON service behind a real socket: listed in pages, written one by one."""

import asyncio
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, unquote, urlsplit
from urllib.request import Request, urlopen

from setpoint.loop import Keyed, Missing
from setpoint.loop.observers import http_json

WANTED = {
    "ssh": {"port": 22, "open": False},
    "web": {"port": 443, "open": True},
    "dns": {"port": 53, "open": True},
}
PAGE = 2


class HttpService(Keyed):
    def __init__(self, url: str) -> None:
        self.url = url
        self.list = http_json(f"{url}/rules", key="name", items="rules", next_page="next", total="total")

    async def desired(self) -> dict[str, Any]:
        return WANTED

    async def observe(self) -> dict[str, Any]:
        return await asyncio.to_thread(self.list)

    async def look(self, key: str) -> Any:
        return await asyncio.to_thread(self.list.one(f"{self.url}/rules/{{key}}"), key)

    async def put(self, key: str, value: Any) -> None:
        await asyncio.to_thread(self.send, "PUT", key, value)

    async def delete(self, key: str) -> None:
        await asyncio.to_thread(self.send, "DELETE", key)

    def send(self, method: str, key: str, value: Any = None) -> None:
        body = None if value is None else json.dumps(value).encode()
        request = Request(f"{self.url}/rules/{quote(key, safe='')}", data=body, method=method)  # noqa: S310
        try:
            urlopen(request, timeout=5).close()  # noqa: S310
        except HTTPError as error:
            with error:
                if error.code == 404:
                    raise Missing(key) from error
                raise


class Service(ThreadingHTTPServer):
    """Stays up for the life of the test run: its thread is a daemon."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.rules: dict[str, Any] = {}
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: Service
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/rules":
            after = parse_qs(parts.query).get("after", [""])[0]
            names = [name for name in sorted(self.server.rules) if name > after]
            rules = [{"name": name, **self.server.rules[name]} for name in names[:PAGE]]
            more = f"/rules?after={quote(names[PAGE - 1], safe='')}" if len(names) > PAGE else None
            self.tell(200, {"rules": rules, "next": more, "total": len(self.server.rules)})
        elif self.name in self.server.rules:
            self.tell(200, {"name": self.name, **self.server.rules[self.name]})
        else:
            self.tell(404, {"error": "no such rule"})

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.rules[self.name] = body
        self.tell(200, {})

    def do_DELETE(self) -> None:
        self.tell(200 if self.server.rules.pop(self.name, None) else 404, {})

    @property
    def name(self) -> str:
        return unquote(urlsplit(self.path).path.removeprefix("/rules/"))

    def tell(self, status: int, body: Any) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, TimeoutError, ValueError):  # Whoever asked died half-way.
            self.close_connection = True


def make(_: Path) -> Callable[[], HttpService]:
    service = Service()
    return lambda: HttpService(service.url)
