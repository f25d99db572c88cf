"""Serving a simulator: on a free port, until cancelled, and not a moment longer."""

import asyncio

import aiohttp
import pytest

from setpoint.sim.hetzner import Fault, HetznerSim, SimSettings
from setpoint.sim.serve import running, serve

HEADERS = {"Authorization": "Bearer t"}


def new_sim() -> HetznerSim:
    return HetznerSim(SimSettings(token="t", action_seconds=0), now=lambda: 0.0)  # noqa: S106


async def status_of(url: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/v1/servers", headers=HEADERS) as reply:
        return reply.status


async def test_it_says_where_it_is_and_serves_until_cancelled() -> None:
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(new_sim(), port=0, ready=ready.set_result))
    url = await ready
    assert url.startswith("http://127.0.0.1:")
    assert await status_of(url) == 200
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    with pytest.raises(aiohttp.ClientConnectorError):
        await status_of(url)


async def test_two_simulators_have_two_ports() -> None:
    async with running(new_sim()) as first, running(new_sim()) as second:
        assert first != second
        assert [await status_of(first), await status_of(second)] == [200, 200]


async def test_a_taken_port_is_told() -> None:
    async with running(new_sim()) as url:
        with pytest.raises(OSError, match="in use"):
            await serve(new_sim(), port=int(url.rpartition(":")[2]), ready=lambda url: None)


@pytest.mark.parametrize("kind", ["slow", "timeout_before", "timeout_after"])
async def test_a_hanging_request_does_not_keep_it_from_stopping(kind: str) -> None:
    sim = new_sim()
    sim.faults.add(Fault(kind=kind, seconds=3600))  # type: ignore[arg-type]
    async with running(sim) as url:
        hanging = asyncio.create_task(status_of(url))
        while not sim.faults.struck:  # noqa: ASYNC110 - the fault strikes behind a socket
            await asyncio.sleep(0.001)
    with pytest.raises(aiohttp.ClientError):
        await hanging


async def test_what_exists_outlives_an_outage() -> None:
    sim = new_sim()
    body = {"name": "example.com", "mode": "primary"}
    async with running(sim) as url, aiohttp.ClientSession(headers=HEADERS) as session:
        await session.post(f"{url}/v1/zones", json=body)
    async with running(sim) as url, aiohttp.ClientSession(headers=HEADERS) as session:
        reply = await session.get(f"{url}/v1/zones/example.com")
        assert reply.status == 200
