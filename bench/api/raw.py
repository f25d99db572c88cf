"""The floor: an asyncio Protocol that knows three questions, looks up the token and passes bytes through."""

import argparse
import asyncio
import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.api import trials
from bench.api.fast import TOKEN, filled
from bench.api.work import COLLECTION
from bench.process import Process
from bench.trial import Trial

ONE: Final = "SELECT body FROM channel WHERE organization = 'acme' AND name = ?"
SOME: Final = "SELECT body FROM channel WHERE organization = 'acme' ORDER BY name LIMIT 100"
KNOWN: Final = "SELECT subject FROM token WHERE hash = ?"
KEEP: Final = "INSERT INTO channel VALUES (?, 'acme', ?, ?, '')"


class Floor(asyncio.Protocol):
    """One connection."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base, self._got = base, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._got += data
        while (end := self._got.find(b"\r\n\r\n")) >= 0:
            head = self._got[:end].decode()
            length = int(head.partition("Content-Length: ")[2].partition("\r\n")[0] or 0)
            if len(self._got) < end + 4 + length:
                return
            body, self._got = self._got[end + 4 : end + 4 + length], self._got[end + 4 + length :]
            status, said = self._answer(head, body)
            self._transport.write(  # type: ignore[attr-defined]
                b"HTTP/1.1 %d OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
                % (status, len(said), said)
            )

    def _answer(self, head: str, body: bytes) -> tuple[int, bytes]:
        token = head.partition("Authorization: Bearer ")[2].partition("\r\n")[0]
        found = self._base.execute(KNOWN, (hashlib.sha256(token.encode()).hexdigest(),)).fetchone()
        if found is None:
            return 401, b"{}"
        method, path, _ = head.partition("\r\n")[0].split(" ")
        if method == "POST":
            sent = json.loads(body)
            called = sent["metadata"]["name"]
            self._base.execute(KEEP, (called, called, body))
            self._base.commit()
            return 201, body
        if path.startswith(f"{COLLECTION}/"):
            [row] = self._base.execute(ONE, (path.rpartition("/")[2],)).fetchone()
            return 200, _bytes(row)
        rows = self._base.execute(SOME).fetchall()
        return 200, b'{"items":[%b],"next_page_token":""}' % b",".join(_bytes(row) for (row,) in rows)


def _bytes(row: str | bytes) -> bytes:
    return row if isinstance(row, bytes) else row.encode()


def reads(size: int) -> Trial:
    return trials.reads(_server(size), size, headers=())


def writes(size: int) -> Trial:
    return trials.writes(_server(size), size, headers=())


def pages(size: int) -> Trial:
    return trials.pages(_server(size), size, headers=())


def _server(size: int) -> Process:
    return Process(("--size", str(size)), module="bench.api.raw")


async def serve(file: Path, ready: Callable[[str], int]) -> None:
    base = sqlite3.connect(file)
    base.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
    server = await asyncio.get_running_loop().create_server(lambda: Floor(base), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    ready(json.dumps({"url": url, "token": TOKEN}))
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--ready-file", required=True)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-raw-") as folder:
        file = Path(folder) / "raw.db"
        filled(file, wanted.size)
        asyncio.run(serve(file, Path(wanted.ready_file).write_text))


if __name__ == "__main__":
    main()
