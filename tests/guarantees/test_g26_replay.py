"""26. Every pass with actions or holds is on record as a value, and replays to the same decision."""

import pytest

from engine.conftest import kept
from engine.plant import Plant
from setpoint.engine import record
from setpoint.engine.limits import Limits
from setpoint.engine.record import Recorded, rehearsed, replayed

from .fuzz import Fuzz

__all__ = ["kept"]


async def lived(plant: Plant, seed: int, passes: int) -> list[Recorded]:
    fuzz = await Fuzz(seed, plant).start()
    for _ in range(passes):
        await fuzz.step()
    return fuzz.plant.rows(Recorded)


@pytest.mark.parametrize("seed", range(6))
async def test_every_recorded_pass_replays_to_the_same_verdict(seed: int) -> None:
    recorded = await lived(await Plant().start(), seed, 400)
    assert len(recorded) > 100
    assert [row.id for row in recorded if replayed(row) != row.verdict] == []


async def test_what_comes_back_from_disk_replays_as_well(kept: Plant) -> None:
    recorded = await lived(kept, 7, 120)
    assert len(recorded) > 30
    assert [row.id for row in recorded if replayed(row) != row.verdict] == []


async def test_a_proposed_limit_shows_what_it_would_have_held(plant: Plant) -> None:
    recorded = [row for row in await lived(plant, 3, 300) if any(a.destructive for a in row.verdict.allowed)]
    strict = Limits(deletes_ceiling=1, deletes_share=0.01, small_domain=1, fleet_tenant=1)
    held = [row for row in recorded if len(rehearsed(row, strict).allowed) < len(row.verdict.allowed)]
    same = [row for row in recorded if rehearsed(row, row.case.limits) != row.verdict]
    assert (len(held) > 0, same) == (True, [])


async def test_removed_a_record_without_what_was_remembered_decides_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = record.recordable
    monkeypatch.setattr("setpoint.engine.outcome.recordable", lambda case: forgetful(whole(case)))
    recorded = await lived(await Plant().start(), 0, 400)
    assert [row.id for row in recorded if replayed(row) != row.verdict] != []


def forgetful(case: record.Case) -> record.Case:
    return record.replace(case, recent=(), looks=(), rooms=())
