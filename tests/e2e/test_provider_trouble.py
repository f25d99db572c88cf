"""A provider that is down, slow, closed to us, or another one: said on all it carries, and nothing done."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from declarations import host, records, workspace, zone
from harness import ORGANIZATION, PROJECT, TOKEN, World, control_plane, counted, simulator, world
from setpoint.sim.hetzner import Fault, HetznerSim, SimSettings
from setpoint.sim.serve import running as sim_running

CARRIED = (("providers", "hetzner"), ("dns_zones", "example-org"), ("dns_records", "r1"), ("hosts", "db"))
OFTEN = {"provider": 0.3, "dns_zone": 0.3, "host": 0.3, "workspace": 0.3}
PROVIDER = f"{ORGANIZATION}/providers/hetzner"


@pytest.fixture
async def carrying(tmp_path: Path) -> AsyncIterator[World]:
    """A provider that carries a zone with records and a host, all READY."""
    async with world(tmp_path, intervals=OFTEN, call_seconds=1.0) as w:
        await settle_in(w)
        yield w


async def settle_in(w: World) -> None:
    await w.plane.declare([*w.setting(), workspace(), host("db"), zone(), *records([1, 2])])
    await all_well(w)
    w.mark()


async def all_well(w: World, hosts: int = 1) -> None:
    await w.all_ready("providers", 1)
    await w.all_ready("dns_records", 2)
    await w.all_ready("hosts", hosts)
    await w.all_ready("workspaces", 1)


async def test_a_provider_that_is_down_stops_everything_and_comes_back_by_itself(tmp_path: Path) -> None:
    sim = HetznerSim(SimSettings(token=TOKEN, action_seconds=0.0), now=time.time)
    async with control_plane(tmp_path, intervals=OFTEN) as (plane, run):
        async with sim_running(sim) as url:
            w = World(sim, url, plane, run)
            await settle_in(w)
        acts = len(plane.acts())
        for plural, name in (*CARRIED, ("workspaces", "prod")):
            await w.in_state(plural, name, "DEGRADED", "cannot be reached")
        await plane.declare([host("late")])
        await w.in_state("hosts", "late", "PENDING", "cannot be reached")
        assert len(plane.acts()) == acts
        async with sim_running(sim, port=urlsplit(url).port or 0):
            await all_well(w, hosts=2)
            assert [(e.verb, e.resource) for e in w.effects()] == [("create", "server")]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault(kind="error", status=429), "answered 429"),
        (Fault(kind="error", status=500), "answered 500"),
        (Fault(kind="error", status=403), "answered 403"),
        (Fault(kind="timeout_before", seconds=0.1), "gave no answer"),
    ],
)
async def test_a_provider_that_does_not_answer_well_is_left_alone(
    carrying: World, fault: Fault, says: str
) -> None:
    carrying.sim.faults.add(fault)
    for plural, name in CARRIED:
        # A record says once what its zone says; the zone itself says the latest.
        said = "dns_zone example-org: hetzner" if plural == "dns_records" else says
        await carrying.in_state(plural, name, "DEGRADED", said)
    await carrying.plane.declare([host("late")])
    await carrying.in_state("hosts", "late", "PENDING", says)
    assert carrying.effects() == []
    carrying.sim.faults.clear()
    await all_well(carrying, hosts=2)
    assert [(e.verb, e.resource) for e in carrying.effects()] == [("create", "server")]


async def test_a_revoked_token_is_said_and_a_restored_one_works_again(carrying: World) -> None:
    carrying.sim.faults.revoke(TOKEN)
    for plural, name in CARRIED:
        await carrying.in_state(plural, name, "DEGRADED", "answered 401")
    assert carrying.effects() == []
    carrying.sim.faults.restore(TOKEN)
    await all_well(carrying)
    assert carrying.effects() == []


async def test_a_provider_that_is_too_slow_is_asked_until_it_answers(carrying: World) -> None:
    carrying.sim.faults.add(Fault(kind="slow", method="POST", seconds=1.3))
    await carrying.plane.declare([host("late")])
    await carrying.in_state("hosts", "late", "PENDING", "no visible effect yet")
    carrying.sim.faults.clear()
    await all_well(carrying, hosts=2)
    assert set(counted(carrying.effects("create")).values()) == {1}
    assert carrying.plane.open_acts() == []


async def test_another_account_is_refused_and_nothing_is_made_there(carrying: World) -> None:
    async with simulator() as (other, url):
        await carrying.plane.good("PATCH", PROVIDER, {"spec": {"endpoint": f"{url}/v1"}})
        for _ in range(5):
            carrying.wake((await carrying.plane.named("hosts", "db"))["metadata"]["ref"])
        await carrying.in_state("providers", "hetzner", "FAILED", "is it another one?")
        for plural, name in CARRIED[1:]:
            await carrying.in_state(plural, name, "DEGRADED", "is it another one?")
        await carrying.looked("host", "db")
        await carrying.looked("dns_zone", "example-org")
        assert other.effects == ()
        await carrying.plane.good("PATCH", PROVIDER, {"spec": {"endpoint": f"{carrying.sim_url}/v1"}})
        await all_well(carrying)
        assert other.effects == ()
        assert carrying.effects() == []


async def test_a_token_of_another_account_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """The secret changes under the same name: nobody tells the provider's loop."""
    async with (
        world(tmp_path, intervals={"host": 0.1, "dns_zone": 0.1}) as w,
        simulator(token="b") as (other, url),  # noqa: S106 - opens nothing but this simulator
    ):
        await settle_in(w)
        await w.plane.good("PATCH", PROVIDER, {"spec": {"endpoint": f"{url}/v1"}})
        await w.in_state("hosts", "db", "DEGRADED", "answered 401")
        (tmp_path / "secrets" / "hetzner").write_text("b")
        await w.in_state("hosts", "db", "DEGRADED", "is it another one?")
        await w.in_state("dns_zones", "example-org", "DEGRADED", "is it another one?")
        assert other.effects == ()


async def test_an_account_that_we_emptied_ourselves_is_still_the_same(tmp_path: Path) -> None:
    async with world(tmp_path, intervals=OFTEN) as w:
        await w.plane.declare([*w.setting(), zone()])
        await w.all_ready("dns_zones", 1)
        await w.looked("provider", "hetzner")
        await w.plane.good("DELETE", f"{PROJECT}/dns_zones/example-org")

        async def gone() -> bool:
            return await w.plane.named("dns_zones", "example-org") is None

        await w.until(gone, "the zone is gone")
        await w.looked("provider", "hetzner", 2)
        await w.all_ready("providers", 1)
        await w.plane.declare([zone()])
        await w.all_ready("dns_zones", 1)
