"""Reads the answer of a service without looking at its status."""

import json
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..sound.http_service import HttpService, Service

FOUND_BY = "unreachable"
ALSO = ()


class IgnoresTheStatus(HttpService):
    def observe(self) -> dict[str, Any]:
        page, found = "/rules", {}
        while page:
            connection = HTTPConnection(urlsplit(self.url).netloc, timeout=5)
            connection.request("GET", page)
            body = json.loads(connection.getresponse().read())
            connection.close()
            for rule in body.get("rules", []):
                found[rule.pop("name")] = rule
            page = body.get("next")
        return found


def make(_: Path) -> Callable[[], IgnoresTheStatus]:
    service = Service()
    return lambda: IgnoresTheStatus(service.url)
