"""Creates and updates need nobody: they roll in growing waves, and deletes come when all is built."""

import itertools
from collections import Counter
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.guards import Verdict, judge
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.remember import next_ledger
from setpoint.engine.rows import Act, ActState

from .situations import NOW, act, case, creates, deletes, failing, ledger, updates


class Rollout:
    """A domain in which everything allowed is done at once, unless a test says it is bad or unanswered."""

    def __init__(self, *actions: Action, size: int = 0) -> None:
        self.left = list(actions)
        self.size = size
        self.ledger = ledger()
        self.known: frozenset[str] = frozenset()
        self.fault: Literal["item", "account"] = "item"

    def wave(
        self,
        *,
        bad: frozenset[str] = frozenset(),
        silent: frozenset[str] = frozenset(),
        ill: frozenset[str] = frozenset(),
    ) -> list[str]:
        """One pass: what was let through. `bad` fails, `silent` was called without an answer before."""
        sizes = {"desired": self.size, "actual": self.size}
        plan = Plan(actions=tuple(self.left), **sizes, known=self.known, unhealthy=ill)
        recent = tuple(act(item, Verb.CREATE, state=ActState.UNKNOWN) for item in silent)
        judged = case(plan=plan, ledger=self.ledger, recent=recent)
        verdict = judge(judged)
        ended = tuple(self._ended(action, bad) for action in verdict.allowed)
        self.ledger = next_ledger(judged, verdict, ended)
        done = {action.item for action in verdict.allowed} - bad - silent
        self.left = [action for action in self.left if action.item not in done]
        return [action.item for action in verdict.allowed]

    def _ended(self, action: Action, bad: frozenset[str]) -> Act:
        ended = act(action.item, action.verb, age=0.0, before=action.before, after=action.after)
        if action.item not in bad:
            return ended
        return replace(ended, state=ActState.FAILED, fault=self.fault, detail="no")

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


@pytest.mark.parametrize(
    ("number", "waves"), [(1, [1]), (5, [1, 4]), (21, [1, 4, 16]), (1_000, [1, 4, 16, 64, 256, 659])]
)
def test_what_was_never_there_is_made_in_waves_four_times_as_large(number: int, waves: list[int]) -> None:
    assert Rollout(*creates(number)).waves() == waves


def test_what_was_there_before_is_made_again_in_waves_like_updates() -> None:
    rollout = Rollout(*creates(7))
    names = [f"new-{n:05d}" for n in range(50)]
    sizes = []
    while rollout.left:
        # The listing shows the others: only what is to be made is said to be gone.
        rollout.known = frozenset(names[7:])
        rollout.ledger = replace(rollout.ledger, known=tuple(names))
        sizes.append(len(rollout.wave()))
    assert sizes == [1, 2, 4]


def test_what_is_new_and_what_is_changed_grow_beside_each_other() -> None:
    rollout = Rollout(*creates(5), *updates(3))
    sizes = [Counter(item[:3] for item in rollout.wave()) for _ in range(2)]
    assert sizes == [{"new": 1, "old": 1}, {"new": 4, "old": 2}]


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
    assert (rollout.ledger.created, rollout.ledger.rolling) == (1, ("new-00000",))


def test_a_key_that_fails_by_itself_leaves_its_wave_and_the_others_go_on() -> None:
    rollout = Rollout(*updates(7))
    assert rollout.wave() == ["old-00000"]
    bad = frozenset({"old-00002"})
    assert rollout.wave(bad=bad) == ["old-00001", "old-00002"]
    assert [rollout.wave(bad=bad) for _ in range(3)] == [
        ["old-00003", "old-00004"],
        ["old-00005", "old-00006"],
        [],
    ]
    assert [action.item for action in rollout.left] == ["old-00002"]


@given(bad=st.frozensets(st.integers(0, 39), max_size=10), number=st.integers(1, 40))
def test_whichever_keys_fail_the_others_are_done(bad: frozenset[int], number: int) -> None:
    items = frozenset(f"old-{n:05d}" for n in bad)
    rollout = Rollout(*updates(number))
    for _ in range(2 * number):
        rollout.wave(bad=items)
    assert {action.item for action in rollout.left} <= items


def test_where_the_account_fails_the_next_wave_is_of_one() -> None:
    rollout = Rollout(*updates(20))
    assert [len(rollout.wave()) for _ in range(3)] == [1, 2, 4]
    rollout.fault = "account"
    assert len(rollout.wave(bad=frozenset(a.item for a in rollout.left))) == 8
    rollout.ledger = replace(rollout.ledger, failing={})
    assert [len(rollout.wave()) for _ in range(2)] == [1, 2]


def test_a_key_without_an_answer_holds_up_no_other() -> None:
    rollout = Rollout(*creates(7))
    silent = frozenset({"new-00000"})
    assert [rollout.wave(silent=silent) for _ in range(3)] == [
        ["new-00001"],
        ["new-00002", "new-00003", "new-00004", "new-00005"],
        ["new-00006"],
    ]


def test_what_needs_something_of_a_later_wave_waits_for_it() -> None:
    needs = {f"new-{n:05d}": ("old-00003",) for n in range(4)}
    failed = {"old-00003": failing(-3, count=1, at=NOW - 60)}
    judged = case((*creates(4), *updates(4)), created=4, wave=1, needs=needs, failing=failed)
    assert [action.item for action in judge(judged).allowed] == ["old-00000", "old-00001"]


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
