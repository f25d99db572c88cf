"""6. Only so many deletes at once and in an hour, for every size of domain."""

import itertools

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
    """The rule, once more: a few but never more than half, or a tenth but never more than ten."""
    return max(min(3, (owned + 1) // 2), min(10, owned // 10))


def limit_of_an_hour(owned: int) -> int:
    return (owned + 1) // 2 if owned <= 10 else max(6, 2 * limit(owned))


@pytest.mark.parametrize("owned", SIZES)
def test_at_every_size_the_limit_goes_and_one_more_is_held_whole(owned: int) -> None:
    assert went(limit(owned), owned) == limit(owned)
    assert went(limit(owned) + 1, owned) == 0


@pytest.mark.parametrize(("number", "owned"), [(9, 9), (10, 10), (6, 10), (999, 1_000), (9_999, 10_000)])
def test_there_is_no_hole_for_small_domains(number: int, owned: int) -> None:
    assert went(number, owned) == 0


@given(owned=st.integers(2, 10_000), share=st.floats(0.0, 1.0))
def test_in_an_hour_it_is_so_many_of_what_was_there_at_its_beginning(owned: int, share: float) -> None:
    most = limit_of_an_hour(owned)
    spent = round(share * (most - 1))
    asked = min(limit(owned), most - spent)
    assert went(asked, owned - spent, spent=spent) == asked
    assert went(1, owned - most, spent=most) == 0


def test_the_limit_never_falls_when_a_domain_grows() -> None:
    grown = [(limit(owned), limit_of_an_hour(owned)) for owned in range(1, 10_001)]
    assert all(a <= c and b <= d for (a, b), (c, d) in itertools.pairwise(grown))
    assert all(went(limit(owned), owned) == limit(owned) for owned in range(2, 200))


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
