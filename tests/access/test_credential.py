"""Credentials: what each sort looks like, and what does not pass for one."""

from typing import Any, get_args

import pytest

from setpoint.access.credential import LINK, PREFIXES, fits, minted, sound
from setpoint.engine.token import Sort

SORTS: Any = get_args(Sort)
SECRET = "Zm9v_YmFy-" * 4


def test_every_sort_has_a_beginning_of_its_own() -> None:
    assert PREFIXES.keys() == set(SORTS)
    assert len({*PREFIXES.values(), LINK}) == len(SORTS) + 1


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("made_as", SORTS)
def test_a_credential_fits_the_sort_it_was_made_as_and_no_other(sort: Any, made_as: Any) -> None:
    before_sorts = (sort, made_as) == ("service", "personal")
    assert fits(minted("1", SECRET, PREFIXES[made_as]), sort) is (sort == made_as or before_sorts)


@pytest.mark.parametrize("sort", SORTS)
def test_a_link_is_no_credential(sort: Any) -> None:
    assert not fits(minted("1", SECRET, LINK), sort)


@pytest.mark.parametrize("sort", SORTS)
def test_one_without_a_beginning_is_a_program_or_a_machine_from_before(sort: Any) -> None:
    assert fits(SECRET, sort) is (sort in ("service", "agent"))


@pytest.mark.parametrize("sort", SORTS)
def test_a_single_wrong_character_is_noticed_before_anything_is_looked_up(sort: Any) -> None:
    good = minted("01abc", SECRET, PREFIXES[sort])
    wrong = [good[:at] + "~" + good[at + 1 :] for at in range(len("setpoint_"), len(good))]
    assert [each for each in wrong if fits(each, sort)] == []
    assert not fits(good + "0", sort)


def test_a_link_is_known_by_its_beginning_and_its_sum() -> None:
    link = minted("1", SECRET, LINK)
    assert sound(link, LINK)
    assert not sound(link[:-1], LINK)
    assert not sound(minted("1", SECRET, PREFIXES["session"]), LINK)
    assert not sound("", LINK)
