"""Whether a browser sends a request because our own page asked for it, or because somebody else's did."""

from collections.abc import Collection, Mapping
from typing import Final

from starlette.requests import Request

from setpoint.api.problem import Refused

SAFE: Final = ("GET", "HEAD", "OPTIONS")
OURS: Final = ("same-origin", "none")
"""`none`: the person did it, not a page."""
JSON: Final = ("application/json", "application/merge-patch+json")


def foreign(method: str, headers: Mapping[str, str], origins: Collection[str]) -> str:
    """Why a request with a cookie is not taken; empty where it is. Header names are lower case."""
    if method in SAFE:
        return ""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in OURS:
        return f"another site asked for it (Sec-Fetch-Site: {site[:32]})"
    if site is None and origin is None:
        return "a browser says where a request comes from, and this one does not"
    if origin is not None and origin not in origins:
        return f"it comes from {origin[:64]}, not from here"
    return _untyped(headers)


def _untyped(headers: Mapping[str, str]) -> str:
    """A form of another page can send text, but never JSON."""
    empty = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return "" if empty or kind in JSON else "its body is not sent as application/json"


def check_origin(request: Request, url: str) -> None:
    """403 for what a page that is not ours made a browser send."""
    host = f"{request.url.scheme}://{request.headers.get('host', '')}"
    why = foreign(request.method, request.headers, (origin_of(url), host))
    if why:
        hint = "programs send Authorization: Bearer instead of a cookie"
        raise Refused(403, "cross_site", f"this request is not taken with a cookie: {why}", hint=hint)


def from_browser(request: Request) -> bool:
    return "sec-fetch-site" in request.headers or "origin" in request.headers


def origin_of(url: str) -> str:
    """`https://setpoint.example:8443` of anything below it."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}".lower()
