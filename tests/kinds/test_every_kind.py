"""What holds for every kind in the list."""

import pytest
from msgspec import convert

from setpoint.engine.kind import Kind
from setpoint.kinds import ALL, by_name

from .stage import Stage

NAMES = [kind.name for kind in ALL]


@pytest.mark.parametrize("kind", ALL, ids=NAMES)
def test_its_example_is_a_valid_spec_that_passes_its_own_check(kind: Kind) -> None:
    spec = convert(dict(kind.example), kind.spec)
    assert kind.check is None or kind.check(spec) == ()


@pytest.mark.parametrize("kind", ALL, ids=NAMES)
def test_it_has_a_sentence_a_plural_and_an_interval_if_it_has_a_loop(kind: Kind) -> None:
    assert kind.about.endswith(".")
    assert kind.plural != kind.name
    assert (kind.loop is None) == (kind.every is None)


@pytest.mark.parametrize("kind", ALL, ids=NAMES)
def test_what_it_names_exists_and_its_fields_do_too(kind: Kind) -> None:
    assert set(kind.references.values()) <= set(by_name())
    assert set(kind.references) <= set(kind.spec.__struct_fields__)
    assert kind.parent in ("", *kind.references)


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind.loop], ids=[k.name for k in ALL if k.loop])
def test_its_loop_says_how_long_a_call_may_take_to_show(kind: Kind) -> None:
    assert Stage().loop(kind.name).settles_in >= 0.0


def test_names_and_plurals_are_given_once() -> None:
    assert len(by_name()) == len(ALL) == len({kind.plural for kind in ALL})


def test_the_check_of_one_kind_says_nothing_of_another() -> None:
    other = convert(dict(by_name()["host"].example), by_name()["host"].spec)
    for kind in ("dns_record", "dns_zone", "scaling_group"):
        check = by_name()[kind].check
        assert check is not None
        assert check(other) == ()
