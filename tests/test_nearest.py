"""What was probably meant: within two slips there is always a suggestion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.nearest import distance, nearest

KINDS = ("organization", "project", "provider", "dns_zone", "dns_record", "workspace", "host")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("hsot", "host"), ("Host", "host"), ("dnszone", "dns_zone"), ("proyekt", "project"), ("hots", "host")],
)
def test_a_slip_is_understood(word: str, meant: str) -> None:
    assert nearest(word, KINDS) == meant


@pytest.mark.parametrize("word", ["", "x", "zzzzzz", "of"])
def test_what_is_near_nothing_gets_no_suggestion(word: str) -> None:
    assert nearest(word, ("host", "dns_zone")) == ""


def test_swapped_neighbours_are_one_slip() -> None:
    assert distance("hsot", "host") == 1
    assert distance("", "abc") == 3
    assert distance("kitten", "sitting") == 3


@given(st.sampled_from(KINDS), st.data())
def test_two_slips_never_go_without_a_suggestion(word: str, data: st.DataObject) -> None:
    for _ in range(2):
        at = data.draw(st.integers(0, len(word) - 1))
        letter = data.draw(st.sampled_from("abcxyz"))
        changed = (
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
        )
        word = data.draw(st.sampled_from(changed))
    assert nearest(word, KINDS)
