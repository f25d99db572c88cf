"""Contestants in processes of their own: rounds in turn, and nothing is timed that is missing or wrong."""

import pytest

from bench.contest import Contest, Contestant, hold
from bench.diff.drift import Drift
from bench.measure import Comparison, Goal

RIGHT = {"answer": 42}
HERE = "tests.bench.contestants"


def contest(peer: str) -> Contest:
    return Contest(
        title="a contest",
        contestants=(
            Contestant("ours", f"{HERE}:right", 42, RIGHT),
            Contestant("peer", f"{HERE}:{peer}", 42, RIGHT),
        ),
        questions=(
            Comparison("beside a peer", "ours", Goal(">=", 0.001), peer="peer"),
            Comparison("beside a limit", "ours", Goal("<=", 1), floor="limit"),
        ),
        limits={"limit": 1.0},
    )


def test_each_round_is_timed_and_a_given_limit_stands_beside_it() -> None:
    beside_peer, beside_limit = hold(contest("right"), rounds=2)
    assert beside_peer.ours is not None
    assert beside_peer.peer is not None
    assert beside_limit.floor == 1.0
    assert beside_limit.ratio is not None
    assert beside_limit.ratio < 1.0


@pytest.mark.parametrize(
    ("peer", "doubt"),
    [
        ("without_peer", "peer: a peer for 42 is not installed"),
        ("wrong", "peer: wrong: answered {'answer': 43}, right is {'answer': 42}"),
        ("dies", "peer: ended early, with exit status 9"),
    ],
)
def test_a_peer_that_is_missing_or_wrong_is_not_compared_with(peer: str, doubt: str) -> None:
    beside_peer, beside_limit = hold(contest(peer), rounds=2)
    assert (beside_peer.met, beside_peer.doubt, beside_peer.peer) == (None, doubt, None)
    assert beside_limit.ratio is not None


@pytest.mark.parametrize("trial", ["from_wire", "from_dicts"])
def test_our_own_plans_find_exactly_what_differs(trial: str) -> None:
    ours = Contestant("ours", f"bench.diff.ours:{trial}", 2_000, Drift(2_000).right)
    question = Comparison("ours", "ours", Goal("<=", 1), floor="limit")
    (row,) = hold(Contest("ours alone", (ours,), (question,), {"limit": 1.0}), rounds=2)
    assert "ours" not in row.doubt
