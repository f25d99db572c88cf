"""Calls a blocking client from `async def`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.http_service import HttpService, Service

FOUND_BY = "event loop"
ALSO = ()


class Blocks(HttpService):
    async def observe(self) -> dict[str, Any]:
        return self.list()


def make(_: Path) -> Callable[[], Blocks]:
    service = Service()
    return lambda: Blocks(service.url)
