"""Calls whose answers are lost, late or refused: one thing per declaration all the same, over 200 seeds."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from declarations import host, record, setting, workspace, zone
from harness import AnyJson, Plane, control_plane, counted, is_ready, simulator, until
from setpoint.sim.hetzner import Fault, HetznerSim

SEEDS = range(200)
TOGETHER = 50
RECORDS = 3
SETTLE_SECONDS = 0.6
HASTY = {"call_seconds": 0.5, "settle_seconds": SETTLE_SECONDS, "passes_at_once": 64}
MAKING = ("/servers", "/zones", "/zones/*/rrsets")


@pytest.mark.parametrize("first", SEEDS[::TOGETHER])
async def test_what_is_declared_is_made_exactly_once(tmp_path: Path, first: int) -> None:
    seeds = range(first, first + TOGETHER)
    async with clouds(seeds) as found, control_plane(tmp_path, **HASTY) as (plane, _):
        await plane.declare([*setting("http://nowhere.invalid"), workspace()])
        await plane.declare([item for seed, (_, url) in found.items() for item in wanted(seed, url)])

        async def converged() -> bool:
            there = [*await plane.every("hosts"), *await plane.every("dns_records")]
            return len(there) == TOGETHER * (1 + RECORDS) and all(map(is_ready, there))

        await until(converged, f"seeds {seeds} converged", plane.story)
        for seed, (sim, _) in found.items():
            created = counted(e for e in sim.effects if e.verb == "create")
            assert set(created.values()) == {1}, f"seed {seed}: {created}"
            assert len(created) == 2 + RECORDS, f"seed {seed}: {created}"
            assert {e.verb for e in sim.effects} == {"create"}, f"seed {seed}"
        await settled(plane)


async def settled(plane: Plane) -> None:
    """Every act has an answer; none was given up while it could still have landed."""

    async def no_act_is_open() -> bool:
        return not plane.open_acts()

    await until(no_act_is_open, "no act is open", plane.story)
    given_up = [act for act in plane.acts() if act.detail.endswith("a look does not find it")]
    assert all(act.ended_at > act.deadline + SETTLE_SECONDS for act in given_up)


@asynccontextmanager
async def clouds(seeds: Sequence[int]) -> AsyncIterator[dict[int, tuple[HetznerSim, str]]]:
    """One cloud for each seed, each with troubles of its own."""
    async with AsyncExitStack() as stack:
        found = {}
        for seed in seeds:
            sim, url = await stack.enter_async_context(simulator(seed=seed))
            for fault in troubles(seed):
                sim.faults.add(fault)
            found[seed] = (sim, url)
        yield found


def troubles(seed: int) -> list[Fault]:
    """A few ways to go wrong, each ending some time, drawn by the seed."""
    chance = Random(seed)  # noqa: S311 - troubles must be the same in every run
    making = [
        Fault(kind="timeout_after", method="POST", path=chance.choice(MAKING), seconds=0.1, times=2),
        Fault(kind="timeout_before", method="POST", path=chance.choice(MAKING), seconds=0.1, times=2),
        Fault(kind="error", method="POST", path=chance.choice(MAKING), status=503, times=2),
        Fault(kind="slow", method="POST", path=chance.choice(MAKING), seconds=0.8, times=1),
        Fault(kind="error", method="GET", path="/actions/*", status=502, times=2, probability=0.5, seed=seed),
        Fault(kind="error", method="GET", path="**", status=500, times=2, probability=0.3, seed=seed),
    ]
    lag = Fault(kind="lag", method="GET", path="**", seconds=0.4, direct=chance.random() < 0.5)
    others = [fault for fault in making if fault is not making[seed % len(making)]]
    chosen = [making[seed % len(making)], *chance.sample(others, k=chance.randint(0, 3))]
    return [*chosen, *([lag] if seed % 3 else [])]


def wanted(seed: int, url: str) -> list[AnyJson]:
    """A provider, a host and a zone with a few records, all named after their seed."""
    provider, domain = f"cloud-{seed}", f"seed{seed}-example"
    return [
        {**setting(f"{url}/v1")[2], "metadata": {"name": provider}},
        host(f"host-{seed}", provider=provider),
        zone(domain, provider=provider),
        *(record(number, zone=domain) for number in range(RECORDS)),
    ]
