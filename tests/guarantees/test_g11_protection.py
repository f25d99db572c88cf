"""11. Protection outlives the declaration, and only an explicit, audited act takes it away."""

import pytest

from engine.people import decision
from engine.plant import Plant
from setpoint.engine import journal
from setpoint.engine.entity import Ref, State
from setpoint.engine.ledger import Protection
from setpoint.engine.release import protect, unprotect
from setpoint.engine.store import Expect

from .removal import without

BOOKS = {f"{n:02d}": n for n in range(30)}


async def undeclared(plant: Plant) -> Ref:
    """A shelf whose one protected book is declared no more."""
    ref = await plant.shelf(BOOKS)
    await plant.store.commit(protect(await decision(plant, ref, "00")))
    await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
    return ref


async def test_when_its_declaration_is_deleted_the_thing_stays_and_the_status_says_why(kept: Plant) -> None:
    ref = await undeclared(kept)
    for _ in range(5):
        await kept.calm(ref)
        kept.runtime.pass_by(60.0)
    status = await kept.status(ref)
    assert ("00" in kept.loop.found, kept.acts()) == (True, [])
    assert (status.state, status.reason) == (State.HELD, "protected, so not deleted: 00 (1 to delete)")


async def test_only_an_explicit_act_takes_it_away_and_leaves_evidence(kept: Plant) -> None:
    ref = await undeclared(kept)
    await kept.store.commit(unprotect(await decision(kept, ref, "00")))
    await kept.calm(ref)
    assert "00" not in kept.loop.found
    assert [(line.actor, line.action) for line in kept.audit() if "item." in line.action] == [
        ("bob", "item.protected"),
        ("bob", "item.unprotected"),
    ]


async def test_removed_it_goes_with_its_declaration(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = await undeclared(plant)
    without(monkeypatch, "protection")
    await plant.run(ref)
    assert plant.acts() == [], "begin itself refuses: the second line of defence"

    def forgetful(row: type, key: str, *more: object) -> Expect:
        return Expect(row, "nothing|of|this") if row is Protection else Expect(row, key, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(journal, "Expect", forgetful)
    await plant.run(ref)
    assert "00" not in plant.loop.found
