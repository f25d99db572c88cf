"""The firewall's rules again, through an async client; nothing is opened before it is needed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp

from setpoint.loop import Keyed, Missing

from .http_service import WANTED, Service


class AsyncClient(Keyed):
    def __init__(self, url: str) -> None:
        self.url = url

    async def desired(self) -> dict[str, Any]:
        return WANTED

    async def observe(self) -> dict[str, Any]:
        found, page = {}, "/rules"
        async with aiohttp.ClientSession(self.url, raise_for_status=True) as session:
            while page:
                async with session.get(page) as answer:
                    body = await answer.json(content_type=None)
                found |= {rule.pop("name"): rule for rule in body["rules"]}
                page = body["next"]
        return found

    async def put(self, key: str, value: Any) -> None:
        path = f"/rules/{quote(key, safe='')}"
        async with (
            aiohttp.ClientSession(self.url, raise_for_status=True) as session,
            session.put(path, json=value),
        ):
            pass

    async def delete(self, key: str) -> None:
        path = f"/rules/{quote(key, safe='')}"
        async with aiohttp.ClientSession(self.url) as session, session.delete(path) as answer:
            if answer.status == 404:
                raise Missing(key)
            answer.raise_for_status()


def make(_: Path) -> Callable[[], AsyncClient]:
    service = Service()
    return lambda: AsyncClient(service.url)
