"""Creates and updates need nobody: they roll in growing waves, and deletes come when all is built."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.guards import Verdict, judge
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.remember import next_ledger
from setpoint.engine.rows import ActState

from .situations import act, case, creates, deletes, ledger, updates


class Rollout:
    """A domain in which everything allowed is done at once, unless a test says it is bad or unanswered."""

    def __init__(self, *actions: Action, size: int = 0) -> None:
        self.left = list(actions)
        self.size = size
        self.ledger = ledger()

    def wave(
        self,
        *,
        bad: frozenset[str] = frozenset(),
        silent: frozenset[str] = frozenset(),
        ill: frozenset[str] = frozenset(),
    ) -> list[str]:
        """One pass: what was let through. `bad` fails, `silent` was called without an answer before."""
        plan = Plan(actions=tuple(self.left), desired=self.size, actual=self.size, unhealthy=ill)
        recent = tuple(act(item, Verb.CREATE, state=ActState.UNKNOWN) for item in silent)
        judged = case(plan=plan, ledger=self.ledger, recent=recent)
        verdict = judge(judged)
        self.ledger = next_ledger(judged, verdict, ())
        done = {action.item for action in verdict.allowed} - bad - silent
        self.left = [action for action in self.left if action.item not in done]
        return [action.item for action in verdict.allowed]

    def waves(self) -> list[int]:
        """The sizes of all waves until nothing is left."""
        sizes = []
        while self.left:
            sizes.append(len(self.wave()))
        return sizes


@pytest.mark.parametrize(
    ("number", "size", "waves"),
    [
        (1, 0, [1]),
        (3, 0, [1, 2]),
        (15, 0, [1, 2, 4, 8]),
        (35, 35, [1, 2, 4, 8, 10, 10]),
        (1_000, 1_000, [1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 245]),
    ],
)
def test_waves_double_up_to_the_cap(number: int, size: int, waves: list[int]) -> None:
    assert Rollout(*updates(number), size=size).waves() == waves


def test_creates_go_before_updates_in_the_same_roll() -> None:
    rollout = Rollout(*creates(1), *updates(2))
    assert [rollout.wave(), rollout.wave()] == [["new-00000"], ["old-00000", "old-00001"]]


def test_after_a_rollout_the_next_begins_small_again() -> None:
    rollout = Rollout(*creates(7))
    rollout.waves()
    assert rollout.wave() == []
    assert (rollout.ledger.wave, rollout.ledger.rolling) == (0, ())
    rollout.left = list(updates(7))
    assert rollout.waves() == [1, 2, 4]


def test_what_goes_is_no_part_of_a_wave() -> None:
    rollout = Rollout(*creates(1), *deletes(1), size=100)
    assert len(rollout.wave()) == 2
    assert (rollout.ledger.wave, rollout.ledger.rolling) == (1, ("new-00000",))


def test_a_bad_wave_is_tried_again_alone_and_nothing_follows() -> None:
    rollout = Rollout(*updates(7))
    assert rollout.wave() == ["old-00000"]
    bad = frozenset({"old-00002"})
    assert rollout.wave(bad=bad) == ["old-00001", "old-00002"]
    assert [rollout.wave(bad=bad) for _ in range(3)] == [["old-00002"]] * 3
    assert [rollout.wave(), len(rollout.wave())] == [["old-00002"], 2]


def test_a_wave_without_an_answer_is_waited_for_before_the_next() -> None:
    rollout = Rollout(*creates(7))
    assert rollout.wave(bad=frozenset({"new-00000"})) == ["new-00000"]
    silent = frozenset({"new-00000"})
    assert [rollout.wave(silent=silent) for _ in range(3)] == [[], [], []]
    assert [rollout.wave(), len(rollout.wave())] == [["new-00000"], 2]


def test_no_wave_goes_out_while_the_last_one_is_not_well() -> None:
    rollout = Rollout(*updates(7))
    assert rollout.wave() == ["old-00000"]
    ill = frozenset({"old-00000"})
    assert [rollout.wave(ill=ill) for _ in range(3)] == [[], [], []]
    assert [len(rollout.wave()), len(rollout.wave())] == [2, 4]


def test_that_something_else_is_not_well_stops_no_wave() -> None:
    rollout = Rollout(*updates(7))
    ill = frozenset({"long-ago"})
    assert [len(rollout.wave(ill=ill)) for _ in range(3)] == [1, 2, 4]


def test_deletes_wait_for_the_health_of_what_was_built() -> None:
    rollout = Rollout(*creates(1), size=100)
    rollout.wave()
    rollout.left = [*creates(2)[1:], *deletes(1)]
    assert rollout.wave(ill=frozenset({"new-00000"})) == []
    assert rollout.wave() == ["new-00001", "x-00000"]


def test_deletes_wait_until_everything_is_built() -> None:
    rollout = Rollout(*creates(3), *deletes(1), size=100)
    assert [rollout.wave() for _ in range(2)] == [["new-00000"], ["new-00001", "new-00002", "x-00000"]]


def test_deletes_wait_for_a_build_without_an_answer() -> None:
    rollout = Rollout(*creates(1), *deletes(1), size=100)
    silent = frozenset({"new-00000"})
    assert rollout.wave(silent=silent) == []
    assert rollout.wave() == ["new-00000", "x-00000"]


def test_a_held_delete_does_not_hold_up_what_is_built() -> None:
    rollout = Rollout(*creates(3), *deletes(50), size=100)
    assert [len(rollout.wave()) for _ in range(2)] == [1, 2]
    assert rollout.wave() == []


@given(number=st.integers(1, 300), size=st.integers(0, 300))
def test_every_rollout_ends_and_no_wave_is_more_than_twice_the_last(number: int, size: int) -> None:
    waves = Rollout(*updates(number), size=size).waves()
    assert sum(waves) == number
    assert all(after <= 2 * before for before, after in itertools.pairwise(waves))
    assert max(waves) <= max(10, size // 4 + 1)


@pytest.mark.parametrize(("desired", "actual"), [(100, 0), (0, 100), (100, 100)])
def test_the_cap_is_a_quarter_of_what_is_wanted_or_there_whichever_is_more(desired: int, actual: int) -> None:
    assert len(judge(case(updates(99), desired=desired, actual=actual, wave=50)).allowed) == 25


def test_what_is_left_for_later_is_counted() -> None:
    verdict = judge(case(updates(10)))
    assert (len(verdict.allowed), verdict.later) == (1, 9)


@pytest.mark.parametrize(
    ("before", "planned", "after"),
    [
        ((), {"known": frozenset("ab")}, ("a", "b")),
        (("a", "b"), {"known": frozenset("b")}, ("b",)),
        (("gone",), {"actions": (Action(verb=Verb.CREATE, item="gone"),)}, ("gone",)),
        (("gone",), {"actions": (Action(verb=Verb.DELETE, item="gone"),)}, ()),
    ],
)
def test_what_was_there_is_remembered_until_it_is_there_again_or_unwanted(
    before: tuple[str, ...], planned: dict[str, object], after: tuple[str, ...]
) -> None:
    judged = case(plan=replace(Plan(), **planned), ledger=ledger(known=before))
    assert next_ledger(judged, Verdict(()), ()).known == after
