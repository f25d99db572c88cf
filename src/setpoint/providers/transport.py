"""One way out over HTTP: deadlines, and answers turned into one of the five errors."""

from collections.abc import Mapping
from typing import Any, Final

import aiohttp
import msgspec

from setpoint.engine.entity import hash_of
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient

CALL_SECONDS: Final = 15.0
READS: Final = ("GET", "HEAD")
NOT_NOW: Final = (408, 409, 412, 423, 425, 429)
"""Refused for a while: busy, locked, out of stock, asked too often. Nothing was done."""
AnyJson = Any


class Transport:
    """JSON calls to one base address with one credential. Opened lazily, closed once."""

    def __init__(self, name: str, base: str, token: str) -> None:
        self._name = name
        self._base = base.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self.fingerprint = hash_of([name, base, token])
        self._session: aiohttp.ClientSession | None = None

    async def call(
        self, method: str, path: str, body: AnyJson = None, params: Mapping[str, str] | None = None
    ) -> AnyJson:
        """The decoded answer, or one of the five errors."""
        try:
            async with self._opened().request(
                method,
                self._base + path,
                data=None if body is None else msgspec.json.encode(body),
                params=params,
                headers={"Content-Type": "application/json"} if body is not None else None,
            ) as response:
                raw = await response.read()
                if response.ok:
                    return msgspec.json.decode(raw) if raw else None
                raise self._refusal(method, path, response, raw)
        except aiohttp.ClientConnectorError as error:
            raise Transient(f"{self._name} cannot be reached: {error}") from error
        except (TimeoutError, aiohttp.ClientError, msgspec.DecodeError, UnicodeDecodeError) as error:
            landed = method not in READS
            what = type(error).__name__ if not str(error) else str(error)
            raise Transient(
                f"{self._name} gave no answer to {method} {path}: {what}", landed=landed
            ) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
            self._session = aiohttp.ClientSession(headers=self._headers, timeout=timeout)
        return self._session

    def _refusal(self, method: str, path: str, response: aiohttp.ClientResponse, raw: bytes) -> Exception:
        code, message = _said(raw)
        said = message or code or "no reason given"
        text = f"{self._name} answered {response.status} to {method} {path}: {said}"
        return refusal(response.status, code, text, writes=method not in READS, headers=response.headers)


def refusal(status: int, code: str, text: str, *, writes: bool, headers: Mapping[str, str]) -> Exception:
    """Which of the five an HTTP status stands for."""
    if status in (401, 403):
        return Denied(text)
    if status == 404:  # noqa: PLR2004
        return Missing(text)
    if status == 409 and code == "uniqueness_error":  # noqa: PLR2004
        return Conflict(text)
    if status in NOT_NOW:
        return Transient(text, retry_after=_seconds(headers.get("Retry-After")))
    # A server error says nothing about whether the change was made.
    return Transient(text, landed=writes) if status >= 500 else Rejected(text)  # noqa: PLR2004


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdigit() else None


def _said(raw: bytes) -> tuple[str, str]:
    try:
        error = msgspec.json.decode(raw)["error"]
        return str(error["code"]), str(error["message"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return "", raw[:200].decode(errors="replace")
