"""kopf without a cluster: its watcher and a worker for each object, whose processor makes one call."""

import asyncio
import logging
from itertools import count
from typing import Any, Final

import aiohttp
from kopf._cogs.configs.configuration import OperatorSettings

from bench.converge.cloud import TOKEN, Cloud, posted
from bench.queue.kopf import body, watch
from bench.trial import Trial

AT_ONCE: Final = 16  # As many as our own acts on a zone.

logging.disable()


def operator(size: int) -> Trial:
    cloud = Cloud()
    zones = (f"k{number}.example" for number in count())
    upcoming = [next(zones)]
    cloud.made_zone(upcoming[0])
    settings = OperatorSettings()

    def run() -> str:
        """From objects in a stream to the last record at the cloud."""
        events = [{"type": "ADDED", "object": body(number)} for number in range(size)]
        asyncio.run(_converged(cloud.url, upcoming[0], events, settings))
        return upcoming[0]

    def counts(zone: str) -> dict[str, int]:
        upcoming[0] = next(zones)
        cloud.made_zone(upcoming[0])
        return {"records": cloud.right(zone)}

    return Trial(run, counts, close=cloud.close)


async def _converged(url: str, zone: str, events: list[Any], settings: OperatorSettings) -> None:
    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def processor(*, raw_event: Any, **_: Any) -> None:
            name = f"r{raw_event['object']['spec']['number']}"
            async with session.post(f"{url}/v1/zones/{zone}/rrsets", json=posted(name)) as answer:
                answer.raise_for_status()
                await answer.read()

        settings.queueing.exit_timeout = 60.0
        await watch(events, settings, processor)
