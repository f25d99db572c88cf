"""Looking at something from the outside, as its users would."""

from typing import Protocol

import msgspec


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What one probe found; `error` where nothing answered."""

    up: bool
    milliseconds: float = 0.0
    http_status: int = 0
    error: str = ""


class Probe(Protocol):
    async def http(self, url: str, timeout: float) -> Probed: ...  # noqa: ASYNC109 - the prober measures it itself

    async def tcp(self, host: str, port: int, timeout: float) -> Probed: ...  # noqa: ASYNC109 - as above
