"""Calls over HTTP: one kept connection for reading, a fresh one for each change, every failure one of two."""

import http.client
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused, Unreachable, problem_of

AnyJson = Any
OK: Final = 300
BUSY: Final = (429, 503)
PATIENCE: Final = 2
LONGEST_PAUSE: Final = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and decoded body."""

    status: int
    headers: Mapping[str, str]
    body: AnyJson


class Connection:
    """One endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._kept: http.client.HTTPConnection | None = None

    def get(self, path: str, query: Mapping[str, str] | None = None) -> AnyJson:
        """Reads are repeated: on a connection that went stale, and when the server asks for patience."""
        target = _target(path, query)
        answer = self._read(target)
        for _ in range(PATIENCE):
            if answer.status not in BUSY:
                break
            time.sleep(_pause(answer.headers))
            answer = self._read(target)
        return _good(answer).body

    def send(
        self, method: str, path: str, body: AnyJson = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Changes are sent once, on a fresh connection: an unknown outcome is never made two."""
        connection = self.connect()
        try:
            return _good(self._exchange(connection, method, path, (body, headers or {})))
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(self.endpoint.url, _words(error, self.endpoint.timeout)) from error
        finally:
            connection.close()

    def connect(self) -> http.client.HTTPConnection:
        """A connection nobody else uses; not opened yet."""
        parts = urlsplit(self.endpoint.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unreachable(self.endpoint.url, "an address looks like http://127.0.0.1:7410")
        secure = parts.scheme == "https"
        make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return make(parts.hostname, parts.port, timeout=self.endpoint.timeout)

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        known = {"Accept": "application/json", "User-Agent": _device(), **(more or {})}
        if self.endpoint.token:
            known["Authorization"] = f"Bearer {self.endpoint.token}"
        return known

    def path(self, path: str) -> str:
        """The path below the endpoint's own, for an API that lives behind a prefix."""
        return urlsplit(self.endpoint.url).path.rstrip("/") + path

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _read(self, target: str) -> Answer:
        reused = self._kept is not None
        if self._kept is None:
            self._kept = self.connect()
        try:
            return self._exchange(self._kept, "GET", target, (None, {}))
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if reused and not isinstance(error, TimeoutError):
                return self._read(target)
            raise Unreachable(self.endpoint.url, _words(error, self.endpoint.timeout)) from error

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        sent: tuple[AnyJson, Mapping[str, str]],
    ) -> Answer:
        body, headers = sent
        raw = None if body is None else json.dumps(body).encode()
        kind = {} if raw is None else {"Content-Type": "application/json"}
        connection.request(method, self.path(target), raw, self.headers({**kind, **headers}))
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), decoded(response.read()))


def decoded(raw: bytes) -> AnyJson:
    """JSON, or None for what is none."""
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return None


def _good(answer: Answer) -> Answer:
    if answer.status >= OK:
        raise Refused(problem_of(answer.status, answer.body))
    return answer


def _target(path: str, query: Mapping[str, str] | None) -> str:
    given = {key: value for key, value in (query or {}).items() if value}
    return f"{path}?{urlencode(given)}" if given else path


def _device() -> str:
    """What a session is listed as: who speaks, and on which machine."""
    name = socket.gethostname()
    return f"setpoint on {name}" if name.isascii() and name.isprintable() else "setpoint"


def _pause(headers: Mapping[str, str]) -> float:
    said = {key.lower(): value for key, value in headers.items()}.get("retry-after", "")
    return min(LONGEST_PAUSE, float(said)) if said.isdigit() else 1.0


def _words(error: Exception, timeout: float) -> str:
    match error:
        case TimeoutError():
            return f"no answer within {timeout:.0f} s"
        case ConnectionRefusedError():
            return "nothing listens there"
        case http.client.RemoteDisconnected() | ConnectionResetError() | BrokenPipeError():
            return "the connection was closed before an answer came"
        case OSError(strerror=str(said)) if said:
            return said
        case _:
            return str(error) or type(error).__name__
