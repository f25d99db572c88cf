"""Liveness, readiness and metrics."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from setpoint.api.drain import Drain
from setpoint.api.render import answer
from setpoint.drive.exposition import MEDIA_TYPE
from setpoint.drive.meter import Tally
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Installation
from setpoint.engine.store import Store

STORE_SECONDS: Final = 2.0
LEAST_BYTES: Final = 1024 * 1024
"""So much must be free on the disk for a change to be taken."""


class Health(Struct, frozen=True):
    """Answers without a token: nothing here tells anything about a tenant."""

    store: Store
    meter: Tally
    drain: Drain
    halted: Callable[[], str] = lambda: ""
    folder: Path | None = None
    """Where the database is, if it is a file here."""
    _seen: list[bool] = field(default_factory=list)

    async def live(self, request: Request) -> Response:
        """GET ok, as long as the process turns."""
        return PlainTextResponse("ok\n")

    async def ready(self, request: Request) -> Response:
        """False before a stop drains, while the store does not answer, and where its disk is full."""
        checks = {"accepting": "draining" if self.drain.begun else "ok", "store": await self._store()}
        if self.folder is not None:
            checks["disk"] = await asyncio.to_thread(_room, self.folder)
        good = all(word == "ok" for word in checks.values())
        if b"verbose" in request.scope.get("query_string", b""):
            lines = [f"[{'+' if word == 'ok' else '-'}] {name}: {word}" for name, word in checks.items()]
            stop = self.halted()  # Ready all the same: whoever may look and resume must reach us.
            lines.append(f"[{'-' if stop else '+'}] acting: {f'stop by {stop}' if stop else 'ok'}")
            text = "\n".join([*lines, "ready" if good else "not ready"])
            return PlainTextResponse(f"{text}\n", 200 if good else 503)
        return answer({"ready": good, "checks": checks}, 200 if good else 503)

    async def started(self, request: Request) -> Response:
        """GET whether the start is over: the store was there, and migrated. From then on it stays so."""
        word = "ok" if self._seen else await self._store()
        if word == "ok":
            self._seen.append(True)
        return answer({"started": word == "ok", "checks": {"store": word}}, 200 if word == "ok" else 503)

    async def metrics(self, request: Request) -> Response:
        """GET every metric, as Prometheus reads them."""
        return Response(self.meter.render(), media_type=MEDIA_TYPE)

    async def _store(self) -> str:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                found = await self.store.get(Installation, "installation")
        except FAILURES as error:
            return str(error)
        except TimeoutError:
            return f"no answer within {STORE_SECONDS:g} s"
        return "ok" if found else "no installation"


def _room(folder: Path) -> str:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return f"the data folder cannot be read: {error.strerror}"
    return "ok" if free >= LEAST_BYTES else f"{free:,} bytes are free; {LEAST_BYTES:,} are needed"
