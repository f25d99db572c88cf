"""Guards that hold: what looks like a mistake waits for a person, who releases exactly what was shown."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from declarations import record, records, zone
from harness import PROJECT, AnyJson, World, counted, world

OWNER = "records.yaml"
InStep = Callable[[int], AbstractAsyncContextManager[World]]


@pytest.fixture
def in_step(tmp_path: Path) -> InStep:
    """A world with so many records in step, and nothing done to them since."""

    @asynccontextmanager
    async def opened(number: int) -> AsyncIterator[World]:
        async with world(tmp_path) as w:
            await declare(w, range(number))
            await w.all_ready("dns_records", number)
            await w.all_ready("dns_zones", 1)
            w.mark()
            yield w

    return opened


async def declare(w: World, numbers: range, *more: AnyJson) -> None:
    await w.plane.declare([*w.setting(), zone(), *records(numbers), *more], OWNER, prune=True)


@pytest.mark.parametrize(
    ("declared", "kept", "says"),
    [
        (12, 0, "nothing is declared while 12 exist; that would delete all 12 (12 to delete)"),
        (9, 0, "nothing is declared while 9 exist; that would delete all 9 (9 to delete)"),
        (9, 1, "1 are declared, 8 fewer than the 9 accepted within a day (8 to delete)"),
        (1000, 1, "1 are declared, 999 fewer than the 1000 accepted within a day (999 to delete)"),
        (40, 35, "5 of 40 would be deleted; the limit is 4 per pass and 8 per hour (0 used) (5 to delete)"),
    ],
)
async def test_a_file_that_shrank_too_much_is_held(
    in_step: InStep, declared: int, kept: int, says: str
) -> None:
    async with in_step(declared) as w:
        before = len(w.plane.acts())
        await declare(w, range(kept))
        held = await w.in_state("dns_zones", "example-org", "HELD", says)
        plan = await w.plane.held_plan()
        assert held["status"]["plan"] == plan["id"]
        assert plan["changes"] == {"delete": declared - kept}
        await w.looked("dns_zone", "example-org", 3)
        assert (await w.plane.held_plan())["id"] == plan["id"]
        assert w.effects() == []
        assert len(w.plane.acts()) == before


async def test_approving_releases_exactly_what_was_shown(in_step: InStep) -> None:
    async with in_step(40) as w:
        await declare(w, range(20))
        await w.in_state("dns_zones", "example-org", "HELD")
        plan = await w.plane.held_plan()
        refused = await w.plane.decide(plan, "approve", digest="0" * 32)
        assert (refused.status, refused.body["code"]) == (409, "stale_plan")
        await w.looked("dns_zone", "example-org")
        assert w.effects() == []

        assert (await w.plane.decide(plan, "approve")).status == 200
        await w.all_ready("dns_records", 20)
        await w.all_ready("dns_zones", 1)
        assert counted(w.effects()) == {f"r{number}": 1 for number in range(20, 40)}
        again = await w.plane.decide(plan, "approve")
        assert again.status == 409
        assert {act.approval for act in w.plane.acts()} != {""}


async def test_a_plan_that_grew_after_it_was_approved_asks_again(in_step: InStep) -> None:
    async with in_step(40) as w:
        await declare(w, range(20))
        await w.in_state("dns_zones", "example-org", "HELD")
        shown = await w.plane.held_plan()
        await w.plane.good("POST", f"{PROJECT}/dns_zones/example-org:pause", {"reason": "thinking"})
        assert (await w.plane.decide(shown, "approve")).status == 200
        await declare(w, range(19))
        await w.plane.good("POST", f"{PROJECT}/dns_zones/example-org:resume")
        await w.looked("dns_zone", "example-org", 2)
        # By which guard depends on whether a pass saw the approval before the pause: then 20 are accepted.
        await w.in_state("dns_zones", "example-org", "HELD", "21 to delete")
        grown = await w.plane.held_plan()
        assert grown["id"] != shown["id"]
        assert w.effects() == []

        assert (await w.plane.decide(grown, "approve")).status == 200
        await w.all_ready("dns_records", 19)
        assert counted(w.effects()) == {f"r{number}": 1 for number in range(19, 40)}


async def test_a_rejected_plan_stays_held_and_says_who_and_why(in_step: InStep) -> None:
    async with in_step(9) as w:
        await declare(w, range(0))
        await w.in_state("dns_zones", "example-org", "HELD")
        rejected = await w.plane.decide(await w.plane.held_plan(), "reject", reason="the file was cut off")
        assert rejected.body["state"] == "rejected"
        await w.in_state(
            "dns_zones", "example-org", "HELD", "rejected by administrator: the file was cut off"
        )
        await w.looked("dns_zone", "example-org", 3)
        assert w.effects() == []
        await declare(w, range(9))
        await w.all_ready("dns_records", 9)
        await w.all_ready("dns_zones", 1)
        assert w.effects() == []


async def test_what_a_person_deletes_by_name_goes_while_the_rest_is_held(in_step: InStep) -> None:
    async with in_step(9) as w:
        await w.plane.good("DELETE", f"{PROJECT}/dns_records/r3")
        await w.all_ready("dns_records", 8)
        assert counted(w.effects()) == {"r3": 1}
        await declare(w, range(0))
        await w.in_state("dns_zones", "example-org", "HELD", "nothing is declared while 8 exist")
        await w.plane.good("DELETE", f"{PROJECT}/dns_records/r4")

        async def gone() -> bool:
            return await w.plane.named("dns_records", "r4") is None

        await w.until(gone, "r4 gone")
        await w.looked("dns_zone", "example-org", 2)
        assert counted(w.effects()) == {"r3": 1, "r4": 1}
        assert len((await w.plane.held_plan())["actions"]) == 7


async def test_a_protected_record_outlives_its_declaration(in_step: InStep) -> None:
    async with in_step(40) as w:
        await declare(w, range(39), record(39, protected=True))
        await w.all_ready("dns_records", 40)
        refused = await w.plane.call("DELETE", f"{PROJECT}/dns_records/r39")
        assert (refused.status, "is protected" in refused.body["detail"]) == (409, True)
        await declare(w, range(39))
        await w.in_state("dns_zones", "example-org", "HELD", "protected, so not deleted: r39/A")
        kept = await w.plane.named("dns_records", "r39")
        assert kept["metadata"]["deleting"] == "withdrawn"
        assert "protected, so not deleted: r39/A" in kept["status"]["reason"]
        await w.looked("dns_zone", "example-org", 3)
        assert w.effects() == []
        await w.plane.good("PATCH", f"{PROJECT}/dns_records/r39", {"metadata": {"protected": False}})
        await declare(w, range(39))
        await w.all_ready("dns_records", 39)
        assert counted(w.effects()) == {"r39": 1}
