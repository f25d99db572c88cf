"""Guards that let work through: what is wanted happens with no person, in waves where it is much."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from declarations import record, records, zone
from harness import World, counted, world

FORTY = range(1, 41)
OWNER = "records.yaml"


@pytest.fixture
async def forty(tmp_path: Path) -> AsyncIterator[World]:
    """Forty records in step, and nothing done to them since."""
    async with world(tmp_path) as w:
        await declare(w, records(FORTY))
        await w.all_ready("dns_records", 40)
        await w.all_ready("dns_zones", 1)
        w.mark()
        yield w


async def declare(w: World, declared: list[object]) -> None:
    await w.plane.declare([*w.setting(), zone(), *declared], OWNER, prune=True)


async def test_a_record_dropped_from_the_file_is_deleted_with_no_person(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await declare(w, records(FORTY))
        await w.all_ready("dns_records", 40)
        assert await w.waves() == [1, 4, 16, 20]  # the first is the zone itself
        assert counted(w.effects("create", "rrset")) == {f"r{number}": 1 for number in FORTY}
        w.mark()
        await declare(w, records(FORTY[:-1]))
        await w.all_ready("dns_records", 39)
        await w.all_ready("dns_zones", 1)
        assert [(e.verb, e.name) for e in w.effects()] == [("delete", "r40")]
        assert await w.plane.events("plan.held") == []


async def test_a_change_after_many_quiet_passes_is_not_held(forty: World) -> None:
    before = len(forty.plane.acts())
    await forty.looked("dns_zone", "example-org", 30)
    assert forty.effects() == []
    assert len(forty.plane.acts()) == before
    await declare(forty, [*records(FORTY[:5], "198.51.100.7"), *records(FORTY[5:])])
    await forty.all_ready("dns_records", 40)
    await forty.all_ready("dns_zones", 1)
    assert set(counted(forty.effects())) == {f"r{number}" for number in FORTY[:5]}
    assert counted(forty.effects("set_records")) == {f"r{number}": 1 for number in FORTY[:5]}
    assert await forty.plane.events("plan.held") == []


async def test_changing_every_record_rolls_out_in_growing_waves(forty: World) -> None:
    await declare(forty, records(FORTY, "198.51.100.7"))
    await forty.all_ready("dns_records", 40)
    await forty.all_ready("dns_zones", 1)
    assert (await forty.waves())[4:] == [1, 2, 4, 8, 10, 10, 5]  # after those that made them
    assert counted(forty.effects("set_records")) == {f"r{number}": 1 for number in FORTY}
    assert forty.effects("delete") == forty.effects("create") == []
    assert await forty.plane.events("plan.held") == []


async def test_a_bad_record_costs_the_others_nothing(forty: World) -> None:
    """A record that the provider refuses fails alone; all the others get their new value at once."""
    declared = [record(1, "198.51.100.7"), *records(FORTY[1:])]
    many = [f"text {number}" for number in range(51)]  # One more than the provider takes.
    broken = {**declared[0], "spec": {**declared[0]["spec"], "type": "TXT", "values": many}}
    await declare(forty, [broken, *records(FORTY[1:], "198.51.100.7")])
    await forty.in_state("dns_zones", "example-org", "DEGRADED", "r1/TXT")
    for number in FORTY[1:]:
        await forty.in_state("dns_records", f"r{number}", "READY")
    assert counted(forty.effects("set_records")) == {f"r{number}": 1 for number in FORTY[1:]}
    assert forty.effects("delete") == []
    await declare(forty, records(FORTY, "198.51.100.7"))
    await forty.all_ready("dns_records", 40)
    assert counted(forty.effects("set_records")) == {f"r{number}": 1 for number in FORTY}
