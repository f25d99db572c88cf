"""What every operation takes and promises besides its own: parameters, headers, and the answers there are."""

from typing import Any, Final

from setpoint.api.served import Public, Served

AnyJson = Any
READS: Final = ("GET", "HEAD")
HEADERS: Final[dict[str, str]] = {
    "X-Request-Id": "What the request is called, in the log too.",
    "ETag": "The version of what is shown.",
    "Location": "Where long work is followed.",
    "Idempotency-Replayed": "That this answer was given before.",
    "RateLimit": "What is left of requests, and when it is full again.",
    "RateLimit-Policy": "How many requests there are in how many seconds.",
    "Retry-After": "In so many seconds it may be different.",
    "Allow": "The methods that are served here.",
    "WWW-Authenticate": "That a credential is needed.",
    "Deprecation": "Since when this is not to be used any more.",
    "Sunset": "When this will be gone.",
}
ALWAYS: Final = ("X-Request-Id", "RateLimit", "RateLimit-Policy", "Deprecation", "Sunset")
LIST: Final[dict[str, str]] = {
    "page_size": "1 to 500.",
    "page_token": "Of the page before.",
    "state": "Only in this state.",
    "labels": "Only with these labels: a=b,c=d.",
    "filter": "Only what this expression is true of.",
    "order_by": "created, name or changed; with desc after it downwards.",
    "fields": "Only these parts: spec.url,metadata.name.",
    "total": "Whether to count all of them.",
    "watch": "1: a stream of events instead.",
    "since": "The revision after which the stream begins.",
    "back": "Seconds before now at which the stream begins; for whoever reads first and listens then.",
}
SCHEMAS: Final[dict[str, AnyJson]] = {
    "page_size": {"type": "integer", "minimum": 1, "maximum": 500},
    "total": {"enum": ["true", "false", "1", "0"]},
    "watch": {"enum": ["true", "false", "1", "0"]},
    "since": {"type": "integer", "minimum": 0, "maximum": 10**18},
    "back": {"type": "integer", "minimum": 0, "maximum": 60},
    "dry_run": {"enum": ["true", "false", "1", "0"]},
}
"""Of what is no free text."""
ANY: Final = {"X-Request-Id": "What to call the request.", "traceparent": "W3C trace context."}
WRITE: Final[dict[str, str]] = {
    "Idempotency-Key": "The same key and the same request: one effect, one answer.",
    "If-Match": "Only on top of this version.",
    "If-None-Match": "Only if there is no such version.",
}
PROBLEM: Final = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/problem"}}}
JSON: Final = {"application/json": {"schema": True}}
PAGE: Final = {
    "type": "object",
    "required": ["items", "next_page_token"],
    "properties": {
        "items": {"type": "array", "items": {"type": "object"}},
        "next_page_token": {"type": "string"},
        "total": {"type": "object"},
    },
}
SHOWN: Final = {
    **JSON,
    "text/plain": {"schema": True},
    "text/markdown": {"schema": True},
    "text/html": {"schema": True},
    "text/css": {"schema": True},
    "text/javascript": {"schema": True},
    "image/svg+xml": {"schema": True},
    "font/woff2": {"schema": True},
    "text/event-stream": {"schema": True},
    "application/cloudevents-batch+json": {"schema": True},
}


def components() -> dict[str, AnyJson]:
    """Headers by name, for every answer to point at."""
    return {name: {"description": about, "schema": {"type": "string"}} for name, about in HEADERS.items()}


def responses(served: Served | Public) -> dict[str, AnyJson]:
    """By class: what is done, what was seen already, what is refused, what broke."""
    good = ("ETag", "Location", "Idempotency-Replayed", *ALWAYS)
    paged = isinstance(served, Served) and served.lists
    content = {**SHOWN, "application/json": {"schema": PAGE}} if paged else SHOWN
    found = {
        "2XX": {"description": "Done or accepted.", "headers": _named(good), "content": content},
        "4XX": {
            "description": "Refused, with every mistake that was found.",
            "headers": _named(("Retry-After", "Allow", "WWW-Authenticate", *ALWAYS)),
            "content": PROBLEM,
        },
        # Readiness says no in its own words.
        "5XX": {
            "description": "Not just now; nothing was stored.",
            "headers": _named(("Retry-After", *ALWAYS)),
            "content": {**PROBLEM, **(JSON if isinstance(served, Public) else {})},
        },
    }
    if served.method in READS:
        found["304"] = {"description": "As it was seen before.", "headers": _named(("ETag", *ALWAYS))}
    return found


def parameters(served: Served | Public) -> list[AnyJson]:
    """Beside those of the address."""
    found = [_header(*each) for each in ANY.items()]
    if isinstance(served, Public):
        return found
    if served.method in READS:
        found.append(_header("If-None-Match", "304 if it is still this version."))
        return found + ([_query(*each) for each in LIST.items()] if served.lists else [])
    found += [_header(*each) for each in WRITE.items()]
    return found + ([_query("dry_run", "true: only ask what it would do.")] if served.dry else [])


def _named(names: tuple[str, ...]) -> dict[str, AnyJson]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _header(name: str, about: str) -> AnyJson:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": about,
        "schema": {"type": "string"},
    }


def _query(name: str, about: str) -> AnyJson:
    return {**_header(name, about), "in": "query", "schema": SCHEMAS.get(name, {"type": "string"})}
