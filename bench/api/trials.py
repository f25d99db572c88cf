"""Trials over any server: reading one, declaring one, a page of a hundred."""

import itertools
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from bench.api.client import Answer, Client
from bench.api.work import COLLECTION, PAGE, declaration, name
from bench.process import Process
from bench.trial import Counts, Trial

ONES: Final = 400
PAGES: Final = 40
OK: Final = 200
CREATED: Final = 201

PUBLIC: Final = (
    b"x-request-id",
    b"ratelimit",
    b"ratelimit-policy",
    b"x-content-type-options",
    b"content-security-policy",
    b"referrer-policy",
    b"cross-origin-resource-policy",
    b"cache-control",
)
"""What every answer of a public API has."""
TAGGED: Final = (*PUBLIC, b"etag")
"""And one about one object."""

Answers = list[Answer]


def reads(server: Process, size: int, headers: Sequence[bytes] = TAGGED) -> Trial:
    """GET one, a different one each time."""
    client, chance = _client(server), Random(size)  # noqa: S311 - which one is read

    def run() -> Answers:
        wanted = [f"{COLLECTION}/{name(chance.randrange(size))}" for _ in range(ONES)]
        return client.all([client.asked("GET", path) for path in wanted])

    def counts(found: Answers) -> Counts:
        right = (json.loads(each.body)["spec"]["url"] for each in found if _whole(each, OK, headers))
        return {"read": sum(url.startswith("https://") for url in right)}

    return _trial(server, client, run, counts, ONES)


def writes(server: Process, size: int, headers: Sequence[bytes] = TAGGED) -> Trial:
    """POST one that is new."""
    client, numbers = _client(server), itertools.count(size)

    def run() -> Answers:
        new = [declaration(f"n{next(numbers):07}", 1) for _ in range(ONES)]
        return client.all([client.asked("POST", COLLECTION, body) for body in new])

    def counts(found: Answers) -> Counts:
        whole = (each for each in found if _whole(each, CREATED, headers))
        made = {json.loads(each.body)["metadata"]["name"] for each in whole}
        kept = client.all([client.asked("GET", f"{COLLECTION}/{each}") for each in sorted(made)])
        return {"made": sum(each.status == OK for each in kept)}

    return _trial(server, client, run, counts, ONES)


def pages(server: Process, size: int, headers: Sequence[bytes] = PUBLIC) -> Trial:
    """GET a hundred."""
    client = _client(server)
    path = f"{COLLECTION}?page_size={PAGE}"

    def run() -> Answers:
        return client.all([client.asked("GET", path)] * PAGES)

    def counts(found: Answers) -> Counts:
        return {"listed": sum(len(json.loads(e.body)["items"]) for e in found if _whole(e, OK, headers))}

    return _trial(server, client, run, counts, PAGES)


def _whole(answer: Answer, status: int, headers: Sequence[bytes]) -> bool:
    return answer.status == status and all(name in answer.headers for name in headers)


RIGHT: Final = {"reads": {"read": ONES}, "writes": {"made": ONES}, "pages": {"listed": PAGES * PAGE}}


def _client(server: Process) -> Client:
    return Client(server.ready["url"], server.ready["token"])


def _trial(
    server: Process,
    client: Client,
    run: Callable[[], Answers],
    counts: Callable[[Answers], Counts],
    parts: int,
) -> Trial:
    def close() -> None:
        client.close()
        server.close()

    return Trial(run, counts, parts=parts, cpu=lambda: server.cpu, close=close)
