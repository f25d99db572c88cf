"""25. Whatever happens, nothing is held, failing or pending without a reason, and why has a sentence."""

import pytest

from engine.plant import Plant
from setpoint.engine import conclude
from setpoint.engine.entity import State, Status
from setpoint.engine.explain import why

from .fuzz import Fuzz

RUNS, PASSES = 10, 1_000
AT_MOST = 300


async def unexplained(seed: int, passes: int) -> list[Status]:
    """Every status of a run that a person could not use."""
    fuzz = await Fuzz(seed, await Plant().start()).start()
    wrong = []
    for _ in range(passes):
        await fuzz.step()
        wrong += [status for status in fuzz.plant.rows(Status) if not usable(status)]
    return wrong


def usable(status: Status) -> bool:
    return status.state is State.READY or 3 < len(status.reason.strip()) <= AT_MOST


@pytest.mark.parametrize("seed", range(RUNS))
async def test_in_ten_thousand_passes_no_reason_is_empty_or_longer_than_a_paragraph(seed: int) -> None:
    assert await unexplained(seed, PASSES) == []


@pytest.mark.parametrize("seed", range(2))
async def test_why_always_has_a_sentence_and_each_held_thing_a_way_on(seed: int) -> None:
    fuzz = await Fuzz(seed, await Plant().start()).start()
    for _ in range(150):
        ref = await fuzz.step()
        found = await fuzz.plant.intent.entity(ref)
        if found is None:
            continue
        answer = await why(fuzz.plant.store, fuzz.plant.kinds, found, fuzz.plant.runtime.now())
        assert found.status.reason in answer["sentence"]
        assert answer["chain"] != []
        decided = answer["evidence"]["plan"] is not None and answer["evidence"]["plan"]["state"] == "rejected"
        assert found.status.state is not State.HELD or decided or answer["next"] != []


async def test_removed_what_a_provider_did_not_say_is_a_status_without_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conclude, "readable", lambda said: said)
    assert await unexplained(0, 300) != []
