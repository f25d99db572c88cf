"""The switch at every level: nothing begins after it is thrown, and work goes on where it stopped."""

import time
from collections import Counter
from pathlib import Path

from declarations import host, records, workspace, zone
from harness import PROJECT, World, counted, world
from setpoint.sim.hetzner import Fault

ZONES = [f"{letter}-example" for letter in "abcdef"]
FIFTY = range(50)


async def test_nothing_begins_after_stop_and_resume_goes_on_to_the_end(tmp_path: Path) -> None:
    async with world(tmp_path, call_seconds=60.0) as w:
        declared = [item for name in ZONES for item in (zone(name), *records(FIFTY, zone=name))]
        w.sim.faults.add(Fault(kind="slow", method="POST", path="/zones/*/rrsets", seconds=0.5))
        await w.plane.declare([*w.setting(), *declared])

        async def under_way() -> bool:
            # Six zones with at most eight acts each under way, a second long: most of them still wait.
            return len(w.effects("create", "rrset")) >= 20

        await w.until(under_way, "20 of 300 records made")
        await w.plane.good("PUT", "/v1/switches/all", {"mode": "stop", "reason": "drill"})
        returned, begun = time.time(), w.plane.acts()
        waiting = 300 - len([act for act in begun if act.item != "zone"])
        assert waiting > 0

        for name in ZONES:
            await w.in_state("dns_zones", name, "HELD", "stop by administrator (drill)")
            await w.looked("dns_zone", name)
        assert [act.id for act in w.plane.acts()] == [act.id for act in begun]
        assert max(act.began_at for act in begun) <= returned
        assert made(w) <= {(act.domain, act.item) for act in begun}
        assert w.plane.open_acts() == []

        w.sim.faults.clear()
        await w.plane.good("DELETE", "/v1/switches/all")
        await w.all_ready("dns_records", 300)
        assert set(Counter((e.zone, e.name) for e in w.effects("create", "rrset")).values()) == {1}
        assert len(w.effects("create", "rrset")) == 300
        assert w.effects("delete") == []


async def test_stop_for_one_kind_scope_or_object_stops_that_one_only(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), workspace(), zone("a-example"), zone("b-example")])
        await w.all_ready("dns_zones", 2)
        await w.all_ready("workspaces", 1)
        one = f"{PROJECT}/dns_zones/a-example"
        levers = {
            "PUT /v1/switches/kind:host": "DELETE /v1/switches/kind:host",
            "PUT /v1/switches/scope:acme/shop/prod": "DELETE /v1/switches/scope:acme/shop/prod",
            f"POST {one}:pause": f"POST {one}:resume",
        }
        for number, (throw, release) in enumerate(levers.items()):
            w.mark()
            await w.plane.good(*throw.split(), {"mode": "stop", "reason": "drill"})
            await w.plane.declare(
                [
                    host(f"db-{number}"),
                    *records([number], zone="a-example"),
                    *records([number], zone="b-example"),
                ]
            )
            stopped = "dns_zones" if "pause" in throw else "hosts"
            name = "a-example" if "pause" in throw else f"db-{number}"
            await w.in_state(stopped, name, "HELD", "stop by administrator (drill)")
            if stopped == "dns_zones":
                await w.in_state("hosts", f"db-{number}", "READY")
            else:
                await w.in_state("dns_records", f"a-example-r{number}", "READY")
            await w.in_state("dns_records", f"b-example-r{number}", "READY")
            assert len(w.effects("create")) == 2

            await w.plane.good(*release.split())
            w.wake((await w.plane.named(stopped, name))["metadata"]["ref"])
            await w.all_ready("dns_records", 2 * number + 2)
            await w.all_ready("hosts", number + 1)
            assert len(w.effects("create")) == 3
            assert set(counted(w.effects("create")).values()) <= {1, 2}


def made(w: World) -> set[tuple[str, str]]:
    """What is at the cloud, as (domain, item), by the mark of whoever made it."""
    return {
        (e.labels["setpoint/entity"].replace(".", "/"), f"{e.name}/A") for e in w.effects("create", "rrset")
    }
