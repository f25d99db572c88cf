"""Which requests a fault strikes: by method, path and page, by count or by seeded chance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.sim.hetzner import Fault, Faults
from setpoint.sim.hetzner.faults import BEFORE, PAGES, Call, applies

LIST = Call("GET", "/servers")
CREATE = Call("POST", "/servers")


@pytest.mark.parametrize(
    ("method", "path", "strikes"),
    [
        ("*", "**", True),
        ("GET", "/zones/*/rrsets", True),
        ("get", "/v1/zones/*/rrsets", True),
        ("*", "/zones/**", True),
        ("*", "/zones/example.com/*", True),
        ("POST", "/zones/*/rrsets", False),
        ("*", "/zones/*", False),
        ("*", "/zones", False),
        ("*", "/zones/exampleXcom/rrsets", False),
    ],
)
def test_a_fault_is_for_some_methods_and_paths(method: str, path: str, strikes: bool) -> None:
    fault = Fault(kind="error", method=method, path=path)
    assert applies(fault, Call("GET", "/zones/example.com/rrsets")) is strikes


@pytest.mark.parametrize(("kind", "struck"), [("missing_page", 2), ("early_end", 2), ("repeated_page", 3)])
def test_a_fault_of_pages_is_for_one_page(kind: str, struck: int) -> None:
    faults = Faults(seed=0)
    faults.add(Fault(kind=kind, page=2))  # type: ignore[arg-type]
    pages = [page for page in range(1, 6) if faults.draw(Call("GET", "/servers", page), PAGES)]
    assert pages == [struck]


def test_a_counted_fault_strikes_that_often_and_is_gone() -> None:
    faults = Faults(seed=0)
    faults.add(Fault(kind="error", method="POST", times=2))
    assert [len(faults.draw(call, BEFORE)) for call in (LIST, CREATE, CREATE, CREATE)] == [0, 1, 1, 0]
    assert faults.standing == ()
    assert faults.struck == {"error": 2}


def test_a_removed_fault_strikes_no_more() -> None:
    faults = Faults(seed=0)
    kept, removed = faults.add(Fault(kind="slow")), faults.add(Fault(kind="error"))
    faults.draw(LIST, BEFORE)
    faults.remove(removed)
    assert [fault.kind for fault in faults.draw(LIST, BEFORE)] == ["slow"]
    assert [(one.id, one.struck) for one in faults.standing] == [(kept, 2)]


@settings(deadline=None)
@given(seed=st.integers(), probability=st.floats(min_value=0.0, max_value=1.0))
def test_the_same_seed_strikes_the_same_requests(seed: int, probability: float) -> None:
    assert struck(seed, probability) == struck(seed, probability)


def test_another_seed_strikes_other_requests() -> None:
    assert len({tuple(struck(seed, 0.5)) for seed in range(200)}) == 200


def test_two_faults_of_one_seed_do_not_strike_together() -> None:
    faults = Faults(seed=1)
    for _ in range(2):
        faults.add(Fault(kind="slow", probability=0.5))
    assert any(len(faults.draw(LIST, BEFORE)) == 1 for _ in range(50))


def struck(seed: int, probability: float) -> list[bool]:
    faults = Faults(seed)
    faults.add(Fault(kind="error", probability=probability, seed=7))
    return [bool(faults.draw(LIST, BEFORE)) for _ in range(60)]
