"""6. Only so many deletes at once and in an hour, for every size of domain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plant import Plant
from engine.situations import acts, case, deletes
from setpoint.engine.guards import judge

from .removal import without

SIZES = [1, 2, 3, 5, 8, 9, 10, 11, 19, 20, 40, 99, 100, 101, 1_000, 10_000]


def went(number: int, owned: int, spent: int = 0) -> int:
    """How many of those withdrawn go with no person; the other guards of intent are not concerned."""
    judged = case(
        deletes(number), desired=max(1, owned - number), actual=owned, accepted=0, recent=acts(spent)
    )
    return len(judge(judged).allowed)


def limit(owned: int) -> int:
    """The table of SAFETY.md, written down once more."""
    return (owned + 1) // 2 if owned <= 10 else min(10, max(1, owned // 10))


@pytest.mark.parametrize("owned", SIZES)
def test_at_every_size_the_limit_goes_and_one_more_is_held_whole(owned: int) -> None:
    assert went(limit(owned), owned) == limit(owned)
    assert went(limit(owned) + 1, owned) == 0


@pytest.mark.parametrize(("number", "owned"), [(9, 9), (10, 10), (6, 10), (999, 1_000), (9_999, 10_000)])
def test_there_is_no_hole_for_small_domains(number: int, owned: int) -> None:
    assert went(number, owned) == 0


@given(owned=st.integers(11, 10_000))
def test_in_an_hour_it_is_twice_as_much(owned: int) -> None:
    once = limit(owned)
    assert went(once, owned, spent=once) == once
    assert went(1, owned, spent=2 * once) == 0


async def test_one_of_forty_goes_alone_with_no_person(kept: Plant) -> None:
    books = {f"{n:02d}": n for n in range(40)}
    ref = await kept.shelf(books)
    await kept.declare("shelf", "novels", books=dict(list(books.items())[1:]))
    await kept.calm(ref)
    assert [act.item for act in kept.acts()] == ["00"]
    assert (await kept.status(ref)).reason == "as declared"


def test_removed_nine_of_nine_go(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "delete_budget")
    assert went(9, 9) == 9
