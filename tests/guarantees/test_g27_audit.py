"""27. The audit is a chain: tampering with any of its lines breaks it; where it cannot be written, no act."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from engine.plant import Plant
from setpoint.engine.audit import Broken, chained, verified
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import Audit, Head

LINES = 1_000


def written(number: int) -> list[Audit]:
    """A chain as a store writes it: numbers have gaps where events lie between."""
    lines: list[Audit] = []
    for n in range(number):
        line = Audit(
            organization="acme", actor="ann", action="act.done", ref="zone/1", at=float(n), detail={"n": n}
        )
        lines.append(chained(line, revision=2 * n + 1, previous=lines[-1].hash if lines else ""))
    return lines


def head_of(lines: list[Audit]) -> Head:
    return Head(organization="acme", revision=lines[-1].revision + 1, hash=lines[-1].hash)


CHAIN = written(LINES)
HEAD = head_of(CHAIN)


def edited(lines: list[Audit], place: int) -> None:
    lines[place] = replace(lines[place], actor="eve")


def dropped(lines: list[Audit], place: int) -> None:
    del lines[place]


def swapped(lines: list[Audit], place: int) -> None:
    other = place + 1 if place + 1 < len(lines) else place - 1
    lines[place], lines[other] = lines[other], lines[place]


def inserted(lines: list[Audit], place: int) -> None:
    before = lines[place]
    lines.insert(
        place + 1, chained(replace(before, actor="eve"), revision=before.revision + 1, previous=before.hash)
    )


def cut(lines: list[Audit], place: int) -> None:
    del lines[place:]


Tampering = Callable[[list[Audit], int], None]
TAMPERINGS: list[Tampering] = [edited, dropped, swapped, inserted, cut]


def found_out(tampering: Tampering, place: int, head: Head, checkpoint: Head | None = None) -> Broken | None:
    lines = list(CHAIN)
    tampering(lines, place)
    return verified(lines, head, checkpoint)


def test_a_chain_that_nobody_touched_is_whole() -> None:
    assert verified(CHAIN, HEAD) is None
    assert verified(CHAIN, HEAD, head_of(CHAIN[:500])) is None
    assert verified([], Head(organization="acme")) is None


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_each_of_a_thousand_tamperings_is_found_at_its_place(tampering: Tampering) -> None:
    for place in range(0, LINES, LINES // 200):
        broken = found_out(tampering, place, HEAD)
        assert broken is not None
        assert abs(broken.revision - CHAIN[place].revision) <= 2
        assert broken.why


@pytest.mark.parametrize("tampering", TAMPERINGS)
@pytest.mark.parametrize("place", [0, 1, LINES // 2, LINES - 2, LINES - 1])
def test_the_first_and_the_last_lines_are_no_exception(tampering: Tampering, place: int) -> None:
    assert found_out(tampering, place, HEAD) is not None


@pytest.mark.parametrize("place", [1, 500, 898])
def test_a_tail_that_was_cut_off_together_with_its_head_shows_at_a_checkpoint(place: int) -> None:
    left = CHAIN[:place]
    assert verified(left, head_of(left)) is None
    assert verified(left, head_of(left), head_of(CHAIN[:900])) == Broken(
        head_of(CHAIN[:900]).revision, "it is not what the checkpoint holds"
    )


def test_a_chain_that_was_written_anew_shows_at_a_checkpoint() -> None:
    forged: list[Audit] = []
    for line in CHAIN:
        said = replace(line, actor="eve") if line.revision == 11 else line
        forged.append(chained(said, revision=line.revision, previous=forged[-1].hash if forged else ""))
    assert verified(forged, head_of(forged)) is None
    assert verified(forged, head_of(forged), head_of(CHAIN[:900])) is not None
    assert verified(forged, head_of(forged), head_of(CHAIN[:5])) is None


async def test_what_the_engine_writes_is_one_chain_that_ends_at_its_head(kept: Plant) -> None:
    ref = await kept.shelf({"dune": 1, "emma": 2}, found={})
    await kept.calm(ref)
    head = await kept.store.get(Head, "acme")
    assert len(kept.audit()) > 6
    assert verified(kept.audit(), head) is None
    assert verified(kept.audit()[:-1], head) is not None


async def test_where_no_evidence_can_be_written_nothing_is_done(kept: Plant) -> None:
    ref = await kept.shelf({}, found={})
    unspellable = Action(verb=Verb.CREATE, item="dune", after=object())
    with pytest.raises(TypeError):
        await kept.journal.enact(await kept.mandate(ref), kept.loop, unspellable)
    assert (kept.acts(), kept.loop.acts) == ([], [])


def test_removed_without_hashes_an_edited_line_goes_unnoticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setpoint.engine.audit.chained", lambda entry, **_: entry)
    assert found_out(edited, 500, HEAD) is None
