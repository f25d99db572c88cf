"""One account at a simulated Hetzner Cloud, reached over real sockets."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from harness import TOKEN, simulator
from setpoint.providers.hetzner.account import HetznerAccount, open_account
from setpoint.providers.transport import Transport
from setpoint.sim.hetzner import HetznerSim


@dataclass
class Vendor:
    """The account as our kinds use it, and the cloud behind it as tests steer it."""

    sim: HetznerSim
    url: str
    transport: Transport
    account: HetznerAccount


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lasting() -> AsyncIterator[Vendor]:
    """One cloud for the tests of a module that use names of their own."""
    async for vendor in _opened():
        yield vendor


@pytest.fixture
async def vendor() -> AsyncIterator[Vendor]:
    async for vendor in _opened():
        yield vendor


async def _opened() -> AsyncIterator[Vendor]:
    async with simulator() as (sim, url):
        transport = Transport("hetzner", f"{url}/v1", TOKEN)
        yield Vendor(sim, url, transport, open_account(transport, time.monotonic, 60.0))
        await transport.close()
        await asyncio.sleep(0)
