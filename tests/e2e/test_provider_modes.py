"""How much a provider's mode lets through: observe only plans, no-deletes waits to delete."""

from pathlib import Path

from declarations import host, records, workspace, zone
from harness import ORGANIZATION, PROJECT, counted, world

PROVIDER = f"{ORGANIZATION}/providers/hetzner"


async def test_observe_says_what_would_be_done_and_does_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, intervals={"host": 0.2, "dns_zone": 0.2}) as w:
        await w.found_zone(range(3))
        declared = [host("db"), zone(adopt=True), *records(range(5), "198.51.100.7")]
        await w.plane.declare([*w.setting(mode="observe"), workspace(), *declared])
        says = "observe by provider hetzner: nothing is changed"
        await w.in_state("hosts", "db", "HELD", f"{says} (1 to create)")
        await w.in_state("dns_zones", "example-org", "HELD", f"{says} (2 to create, 3 to update)")
        await w.in_state("dns_records", "r3", "HELD", says)
        await w.looked("host", "db", 2)
        await w.looked("dns_zone", "example-org", 2)
        assert w.effects() == []
        assert w.plane.acts() == []

        await w.plane.good("PATCH", PROVIDER, {"spec": {"mode": "run"}})
        await w.all_ready("hosts", 1)
        await w.in_state("dns_zones", "example-org", "HELD", "3 that carry no mark would become ours")
        assert w.effects("set_records") == []
        # Once the others are made, the plan that waits is about nothing else, and stays as it is.
        for name in ("r3", "r4"):
            await w.in_state("dns_records", name, "READY")
        await w.looked("dns_zone", "example-org", 2)
        assert (await w.plane.decide(await w.plane.held_plan(), "approve")).status == 200
        await w.all_ready("dns_records", 5)
        await w.all_ready("workspaces", 1)
        assert counted(w.effects("create", "rrset")) == {"r3": 1, "r4": 1}
        assert counted(w.effects("set_records")) == {"r0": 1, "r1": 1, "r2": 1}


async def test_no_deletes_makes_and_changes_but_waits_to_delete(tmp_path: Path) -> None:
    async with world(tmp_path, park_seconds=0.0) as w:
        await w.plane.declare(
            [*w.setting(), workspace(), host("old"), zone(), *records(range(20))], "file", prune=True
        )
        await w.all_ready("dns_records", 20)
        await w.all_ready("hosts", 1)
        w.mark()
        kept = [zone(), *records(range(19)), *records([30]), workspace(), host("old"), host("new")]
        await w.plane.declare([*w.setting(mode="no-deletes"), *kept], "file", prune=True)
        await w.plane.good("DELETE", f"{PROJECT}/workspaces/prod/hosts/old")
        await w.in_state("dns_records", "r30", "READY")
        await w.in_state("hosts", "new", "READY")
        says = "no deletes by provider hetzner: 1 wait (1 to delete)"
        await w.in_state("dns_zones", "example-org", "HELD", says)
        await w.in_state("hosts", "old", "HELD", says)
        assert sorted(e.verb for e in w.effects()) == ["create", "create"]

        await w.plane.good("PATCH", PROVIDER, {"spec": {"mode": "run"}})
        for plural, name in (("dns_zones", "example-org"), ("hosts", "old")):
            w.wake((await w.plane.named(plural, name))["metadata"]["ref"])
        await w.all_ready("dns_records", 20)
        await w.all_ready("hosts", 1)
        assert [e.name for e in w.effects("delete", "rrset")] == ["r19"]
        assert len(w.effects("delete", "server")) == 1
