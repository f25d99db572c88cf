"""kopf's watcher with a worker for each object, without a cluster: the stream it watches is ours."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

from kopf._cogs.clients import watching
from kopf._cogs.configs.configuration import OperatorSettings
from kopf._cogs.structs.references import Resource
from kopf._core.reactor import queueing

from bench.trial import Trial

logging.disable()


def watched(size: int) -> Trial:
    """Every object comes up once, and its processor does nothing."""
    events = [{"type": "MODIFIED", "object": body(number)} for number in range(size)]
    settings = OperatorSettings()

    def run() -> list[str]:
        seen: list[str] = []

        async def processor(*, raw_event: Any, **_: Any) -> None:
            seen.append(raw_event["object"]["metadata"]["name"])

        asyncio.run(watch(events, settings, processor))
        return seen

    return Trial(run, lambda found: {"fired": len(found), "different": len(set(found))}, size)


async def watch(events: list[Any], settings: OperatorSettings, processor: Any) -> None:
    """All of kopf between the stream of a cluster and the processing of one event."""

    async def stream(**_: Any) -> AsyncIterator[Any]:
        for event in events:
            yield event

    watching.infinite_watch = stream  # type: ignore[assignment]
    resource = Resource("example.org", "v1", "things")
    await queueing.watcher(namespace=None, settings=settings, resource=resource, processor=processor)


def body(number: int) -> dict[str, Any]:
    metadata = {"name": f"thing-{number}", "uid": f"uid-{number}", "namespace": "default", "labels": {}}
    return {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": metadata, "spec": {"number": number}}
