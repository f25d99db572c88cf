"""A host of another make: the new server is made and well before the one it replaces is destroyed."""

from pathlib import Path

from declarations import host, workspace
from harness import WORKSPACE, world


async def test_a_replacement_is_there_before_what_it_replaces_goes(tmp_path: Path) -> None:
    async with world(tmp_path, limits={"probation_gap": 0.05}) as w:
        await w.plane.declare([*w.setting(), workspace(), host("db")])
        (before,) = await w.all_ready("hosts", 1)
        w.mark()
        await w.plane.good("PATCH", f"{WORKSPACE}/hosts/db", {"spec": {"image": "ubuntu-24.04"}})
        await w.in_state("hosts", "db", "HELD", "leaves nothing")
        plan = await w.plane.held_plan()
        assert [action["verb"] for action in plan["actions"]] == ["replace"]
        assert w.effects() == []
        await w.plane.decide(plan, "approve")

        async def replaced() -> bool:
            one = await w.plane.named("hosts", "db")
            return one["status"]["state"] == "READY" and bool(w.effects("delete", "server"))

        await w.until(replaced, "the older server is gone")
        assert [(e.verb, e.name == before["status"]["facts"]["server"]) for e in w.effects()] == [
            ("create", False),
            ("delete", True),
        ]
        after = await w.plane.named("hosts", "db")
        assert after["status"]["facts"]["server"] != before["status"]["facts"]["server"]
