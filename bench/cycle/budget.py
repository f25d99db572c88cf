"""A provider that allows so many calls a second, and more to do than that: how much of it is used."""

import asyncio
import time
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.command import say
from bench.measure import STEADY, Figure, Goal, spread
from setpoint.engine.errors import Transient

CALLERS: Final = 64
SAVED: Final = 10.0  # Seconds' worth of calls that may be saved up.
SETTLED: Final = 12.0  # Seconds until what was saved up is spent.
WINDOW: Final = 5.0
TOKEN: Final = "for-the-bench"  # noqa: S105 - opens nothing but this simulator


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls in each window of so many seconds, and how many were refused in all."""

    qps: int
    windows: tuple[float, ...]  # Calls a second.
    refused: int


def figures(spent: Spent) -> tuple[Figure, ...]:
    """P21."""
    shares = [rate / spent.qps for rate in spent.windows]
    wild = spread(shares) > STEADY
    named = f"P21 backlog, {spent.qps} calls/s allowed"
    return (
        Figure(
            f"{named}, used",
            median(spent.windows),
            "/s",
            Goal(">=", 0.95),
            beside=float(spent.qps),
            doubt=f"the share wanders by {spread(shares):.0%}" if wild else "",
        ),
        Figure(f"{named}, refused", spent.refused, "calls", Goal("<=", 0)),
    )


async def measured(qps: int, windows: int, window: float = WINDOW, settled: float = SETTLED) -> Spent:
    """Our own transport against our simulator, over a socket; everybody always wants one more call."""
    from setpoint.providers.transport import Transport  # noqa: PLC0415
    from setpoint.sim.hetzner import HetznerSim, SimSettings  # noqa: PLC0415
    from setpoint.sim.hetzner.rate import RateLimit  # noqa: PLC0415
    from setpoint.sim.serve import running  # noqa: PLC0415

    limit = RateLimit(calls=int(qps * SAVED), seconds=SAVED)
    sim = HetznerSim(SimSettings(token=TOKEN, rate_limit=limit), now=time.time)
    async with running(sim) as url:
        transport = Transport("bench", f"{url}/v1", TOKEN)

        async def caller() -> None:
            while True:
                try:
                    await transport.call("GET", "/servers", params={"per_page": "1"})
                except Transient:
                    await asyncio.sleep(0.05)  # It would have had to wait for too long, and asks again.

        callers = [asyncio.create_task(caller()) for _ in range(CALLERS)]
        try:
            say(f"P21 {CALLERS} callers, {qps} calls a second allowed: {settled + windows * window:.0f} s")
            await asyncio.sleep(settled)
            rates = [await _rate(sim, window) for _ in range(windows)]
        finally:
            for each in callers:
                each.cancel()
            await asyncio.gather(*callers, return_exceptions=True)
            await transport.close()
        return Spent(qps, tuple(rates), sim.faults.struck.get("rate_limit_exceeded", 0))


async def _rate(sim: object, window: float) -> float:
    before, began = _calls(sim), time.monotonic()
    await asyncio.sleep(window)
    return (_calls(sim) - before) / (time.monotonic() - began)


def _calls(sim: object) -> int:
    requests: dict[str, int] = sim.requests  # type: ignore[attr-defined]
    return sum(requests.values())
