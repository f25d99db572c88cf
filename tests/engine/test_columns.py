"""Columns against two plain dicts: whatever is written, both ways of asking give the same answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from setpoint.engine.columns import Columns, fingerprint
from setpoint.engine.entity import hash_of

KEYS = st.text("abc", min_size=1, max_size=2)
DIGESTS = st.none() | st.sampled_from([fingerprint(value) for value in range(3)])


class TwoDicts(RuleBasedStateMachine):
    """Any writes in any order, with a plain model beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.columns = Columns()
        self.wanted: dict[str, bytes | None] = {}
        self.seen: dict[str, bytes | None] = {}

    @rule(key=KEYS, digest=DIGESTS)
    def want(self, key: str, digest: bytes | None) -> None:
        self.wanted[key] = digest
        assert self.columns.want(key, digest) == (key in self.differing())

    @rule(key=KEYS, digest=DIGESTS)
    def saw(self, key: str, digest: bytes | None) -> None:
        self.seen[key] = digest
        assert self.columns.saw(key, digest) == (key in self.differing())

    @rule()
    def rescan(self) -> None:
        assert self.columns.rescan() == self.differing()

    @invariant()
    def both_agree(self) -> None:
        known = [key for key in self.keys() if self.wanted.get(key) or self.seen.get(key)]
        assert self.columns.different() == self.differing()
        assert len(self.columns) == len(known)

    def keys(self) -> set[str]:
        return self.wanted.keys() | self.seen.keys()

    def differing(self) -> set[str]:
        return {key for key in self.keys() if self.wanted.get(key) != self.seen.get(key)}


TestTwoDicts = TwoDicts.TestCase


def holding(number: int) -> Columns:
    """So many keys, each as wanted."""
    columns = Columns()
    for key in range(number):
        columns.want(f"key-{key}", fingerprint(key))
        columns.saw(f"key-{key}", fingerprint(key))
    return columns


@pytest.mark.parametrize("number", [0, 1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 5000])
def test_a_rescan_finds_the_first_and_the_last_whatever_the_size(number: int) -> None:
    columns = holding(number)
    assert columns.rescan() == frozenset()
    ends = {f"key-{key}" for key in (0, number - 1) if number}
    for key in ends:
        columns.saw(key, fingerprint("drifted"))
    assert columns.rescan() == columns.different() == ends


@given(st.sets(st.integers(0, 999)), st.sets(st.integers(0, 999)))
def test_a_rescan_finds_everything_wherever_it_stands(missing: set[int], drifted: set[int]) -> None:
    columns = holding(1000)
    for key in missing:
        columns.saw(f"key-{key}", None)
    for key in drifted:
        columns.saw(f"key-{key}", fingerprint("drifted"))
    assert columns.rescan() == columns.different() == {f"key-{key}" for key in missing | drifted}


def test_a_key_that_is_neither_wanted_nor_seen_leaves_its_place_to_the_next() -> None:
    columns = holding(3)
    columns.want("key-1", None)
    columns.saw("key-1", None)
    assert len(columns) == 2
    columns.want("new", fingerprint("new"))
    assert len(columns) == 3
    assert columns.rescan() == {"new"}
    columns.saw("key-1", fingerprint(1))
    assert columns.rescan() == {"new", "key-1"}


def test_an_answer_does_not_change_afterwards() -> None:
    columns = holding(2)
    before = columns.different(), columns.rescan()
    columns.saw("key-0", None)
    assert before == (frozenset(), frozenset())


@pytest.mark.parametrize("digest", [b"", b"short", bytes(16), bytes(17)])
def test_what_is_no_digest_is_refused_and_nothing_is_written(digest: bytes) -> None:
    columns = holding(2)
    with pytest.raises(ValueError, match="16 bytes"):
        columns.saw("key-0", digest)
    with pytest.raises(ValueError, match="16 bytes"):
        columns.want("unknown", digest)
    assert len(columns) == 2
    assert columns.rescan() == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ([1, 2], (1, 2), True), ({"a": 1}, {"a": 2}, False)],
)
def test_a_fingerprint_stands_for_a_value_however_it_is_spelled(one: Any, other: Any, same: bool) -> None:
    assert (fingerprint(one) == fingerprint(other)) == same
    assert fingerprint(one).hex() == hash_of(one)
