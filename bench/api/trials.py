"""Trials over any server: reading one, declaring one, a page of a hundred."""

import itertools
import json
from collections.abc import Callable
from random import Random
from typing import Final

from bench.api.client import Client
from bench.api.work import COLLECTION, PAGE, declaration, name
from bench.process import Process
from bench.trial import Counts, Trial

ONES: Final = 400
PAGES: Final = 40
OK: Final = 200
CREATED: Final = 201

Answers = list[tuple[int, bytes]]


def reads(server: Process, size: int) -> Trial:
    """GET one, a different one each time."""
    client, chance = _client(server), Random(size)  # noqa: S311 - which one is read

    def run() -> Answers:
        wanted = [f"{COLLECTION}/{name(chance.randrange(size))}" for _ in range(ONES)]
        return client.all([client.asked("GET", path) for path in wanted])

    def counts(found: Answers) -> Counts:
        right = (s == OK and json.loads(body)["spec"]["url"].startswith("https://") for s, body in found)
        return {"read": sum(right)}

    return _trial(server, client, run, counts, ONES)


def writes(server: Process, size: int) -> Trial:
    """POST one that is new."""
    client, numbers = _client(server), itertools.count(size)

    def run() -> Answers:
        new = [declaration(f"n{next(numbers):07}", 1) for _ in range(ONES)]
        return client.all([client.asked("POST", COLLECTION, body) for body in new])

    def counts(found: Answers) -> Counts:
        made = {json.loads(body)["metadata"]["name"] for status, body in found if status == CREATED}
        kept = client.all([client.asked("GET", f"{COLLECTION}/{each}") for each in sorted(made)])
        return {"made": sum(status == OK for status, _ in kept)}

    return _trial(server, client, run, counts, ONES)


def pages(server: Process, size: int) -> Trial:
    """GET a hundred."""
    client = _client(server)
    path = f"{COLLECTION}?page_size={PAGE}"

    def run() -> Answers:
        return client.all([client.asked("GET", path)] * PAGES)

    def counts(found: Answers) -> Counts:
        return {"listed": sum(len(json.loads(body)["items"]) for status, body in found if status == OK)}

    return _trial(server, client, run, counts, PAGES)


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
