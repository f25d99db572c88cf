"""One JSON answer over HTTP, whole or not at all: whatever makes it doubtful raises."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any, Final, NoReturn
from urllib.parse import urlsplit, urlunsplit

from setpoint.engine.errors import Denied, Missing, Rejected, Transient
from setpoint.system import monotonic

AnyJson = Any

LARGEST: Final = 64 * 2**20
_CHUNK: Final = 2**16
_OK: Final = 200
_GONE: Final = (404, 410)
_DENIED: Final = (401, 403, 407)
_LATER: Final = (408, 425, 429)
_SERVER_ERRORS: Final = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: from where it came, what was said about it, what it says."""

    url: str
    headers: Mapping[str, str]
    body: AnyJson


def fetch(url: str, headers: Mapping[str, str] | None = None, timeout: float = 10.0) -> Answer:
    """GET a JSON document. 404 is Missing, 401 and 403 Denied, what may pass Transient, else Rejected."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise Rejected(f"{shown(url)} is not an http or https address")
    request = urllib.request.Request(url, headers={"Accept": "application/json", **(headers or {})})  # noqa: S310
    ends = monotonic() + timeout
    try:
        with urllib.request.build_opener(_NearRedirects()).open(request, timeout=timeout) as response:
            if response.status != _OK:
                raise Rejected(f"{shown(url)} answered {response.status}, not 200: that is not all of it")
            said = _headers(response.headers)
            return Answer(response.url, said, _parsed(_whole(response, ends, timeout), said, url))
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(url, error) from error
    except http.client.InvalidURL as error:
        raise Rejected(f"{shown(url)} is not an address: {error}") from error
    except (OSError, http.client.HTTPException) as error:
        raise Transient(f"{shown(url)} gave no whole answer: {_told(error)}") from error


def shown(url: str) -> str:
    """An address as a message may say it: without its query and its user, where secrets hide."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def same_place(url: str, other: str) -> bool:
    """Whether what was meant for the one may be asked of the other: the same origin, or its https."""
    here, there = urlsplit(url), urlsplit(other)
    upgraded = here.scheme == "http" and there.scheme == "https" and not here.port and not there.port
    return here.hostname == there.hostname and (
        upgraded or (here.scheme, here.port) == (there.scheme, there.port)
    )


class _NearRedirects(urllib.request.HTTPRedirectHandler):
    """Another service is another truth, and must not get our headers."""

    def redirect_request(  # noqa: PLR0913, PLR0917 - the signature is urllib's
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if not same_place(req.full_url, newurl):
            fp.close()
            raise Rejected(f"{shown(req.full_url)} redirects elsewhere, to {shown(newurl)}: not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _headers(message: Message) -> dict[str, str]:
    """By their names in small letters; only links may come in several lines that are one list."""
    found = {name.lower(): value for name, value in message.items()}
    return found | {"link": ", ".join(message.get_all("Link", ()))}


def _whole(response: http.client.HTTPResponse, ends: float, timeout: float) -> bytes:
    """The body. Its announced length is compared here: http.client itself lets a short one pass."""
    announced, body = response.length, bytearray()
    while announced is None or len(body) < announced:
        if monotonic() > ends:
            raise TimeoutError(f"not finished within {timeout:g} s")
        chunk = response.read1(_CHUNK)
        if not chunk:
            break
        body += chunk
        if len(body) > LARGEST:
            raise Rejected(f"{shown(response.url)} answers more than {LARGEST // 2**20} MiB: ask for pages")
    if announced is not None and len(body) != announced:
        raise Transient(f"{shown(response.url)} was cut off: {len(body)} of {announced} bytes came")
    return bytes(body)


def _parsed(body: bytes, headers: Mapping[str, str], url: str) -> AnyJson:
    if (packed := headers.get("content-encoding", "identity")) != "identity":
        raise Rejected(f"{shown(url)} answers as {packed}, which was not asked for")
    try:
        return json.loads(body.decode(), object_pairs_hook=_each_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        kind = headers.get("content-type", "nothing it names")
        raise Rejected(f"{shown(url)} does not answer with JSON but with {kind}: {error}") from error


def _each_once(pairs: list[tuple[str, AnyJson]]) -> dict[str, AnyJson]:
    """json itself keeps the last of two equal names, which is less than what was said."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(n for n in names if names.count(n) > 1)!r} is there twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _refusal(url: str, error: urllib.error.HTTPError) -> Exception:
    said = f"{shown(url)} answered {error.code} {error.reason}"
    if error.code in _GONE:
        return Missing(said)
    if error.code in _DENIED:
        return Denied(said)
    if error.code in _LATER or error.code >= _SERVER_ERRORS:
        wait = (error.headers.get("Retry-After") or "") if error.headers else ""
        return Transient(said, retry_after=float(wait) if wait.isdecimal() else None)
    return Rejected(said)


def _told(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return f"{type(reason).__name__}: {reason}"
