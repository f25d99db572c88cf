"""A class is checked as a whole: one error names every mistake in it, and each of them has a cure."""

from typing import Any

import pytest

from setpoint.loop import Keyed, Rejected
from setpoint.loop.keyed import checked, defines, seconds


class Good(Keyed):
    """As small as a loop can be."""

    def desired(self) -> Any: ...

    def observe(self) -> Any: ...

    def put(self, key: str, value: Any) -> None: ...

    def delete(self, key: str) -> None: ...


def made(**more: Any) -> Keyed:
    """The good one with something else in it; None takes it out."""
    taken = {name: getattr(Keyed, name, None) for name, value in more.items() if value is None}
    return type("Flags", (Good,), more | taken)()


async def asynchronous(self: Any, key: str, value: Any) -> str:
    return key


@pytest.mark.parametrize(
    ("written", "length"),
    [
        *(("30s", 30.0), ("5m", 300.0), ("2h", 7200.0), ("1d", 86400.0), ("250ms", 0.25), ("1.5 m", 90.0)),
        *((15, 15.0), (0.5, 0.5), ("20", 20.0)),
    ],
)
def test_a_length_of_time_is_written_as_people_write_it(written: object, length: float) -> None:
    assert seconds(written) == length


@pytest.mark.parametrize("written", ["", "soon", "5 weeks", "-3s", "1h30m", None, True, [], "s"])
def test_what_is_no_length_of_time_is_said_to_be_none(written: object) -> None:
    with pytest.raises(ValueError, match="is not a length of time; write seconds, or text such as 30s"):
        seconds(written)


def test_a_good_loop_has_its_terms() -> None:
    terms = checked(made(every="2m", deadline=3, settles_in="1s", at_once=4, weight=20, deletes_share=0.05))
    assert (terms.name, terms.kind) == ("Flags", "flags")
    assert (terms.every, terms.deadline, terms.settles_in, terms.at_once, terms.weight) == (120, 3, 1, 4, 20)
    assert terms.limits.deletes_share == 0.05
    assert terms.limits.deletes_ceiling == 10


def test_methods_may_be_set_on_the_object_itself() -> None:
    loop = made()
    assert not defines(loop, "look")
    loop.look = lambda key: 1  # type: ignore[attr-defined]
    assert defines(loop, "look")
    checked(loop)


@pytest.mark.parametrize(
    ("more", "mistake"),
    [
        ({"desired": None}, "desired() is missing"),
        ({"observe": None}, "observe() is missing"),
        ({"delete": None}, "delete(key) is missing"),
        ({"delete": None, "delet": print}, "delete(key) is missing; is delet meant to be it?"),
        ({"put": None}, "put(key, value) is missing, or create and update instead of it"),
        ({"put": None, "create": lambda self, key, value: 0}, "update(key, value) is missing: write both"),
        (
            {"park": lambda self, key, value: 0},
            "park without unpark: what is parked must be able to come back",
        ),
        ({"unpark": lambda self, key, value: 0}, "unpark without park"),
        ({"put": 5}, "put is 5, not a method"),
        ({"put": lambda self, key: 0}, "put must take (self, key, value)"),
        ({"observe": lambda self, page: 0}, "observe must take (self)"),
        ({"mine": asynchronous}, "mine is async; it is asked of every item in hand, so make it a plain def"),
        ({"every": "often"}, "every: 'often' is not a length of time"),
        ({"every": 0}, "every is 0, which is too short"),
        ({"deadline": float("nan")}, "deadline is nan, which is too short"),
        ({"settles_in": "-1s"}, "settles_in: '-1s' is not a length of time"),
        ({"at_once": 0}, "at_once is 0, not a whole number of at least 1"),
        ({"at_once": True}, "at_once is True, not a whole number"),
        ({"weight": 1.5}, "weight is 1.5, not a whole number"),
        ({"deletes_share": 5}, "limit deletes_share is 5: Expected `float` < 1.0"),
        ({"deletes_share": "much"}, "limit deletes_share is 'much': Expected `float`, got `str`"),
        ({"deletes_ceiling": 0}, "limit deletes_ceiling is 0: Expected `int` >= 1"),
        ({"delete_share": 0.5}, "delete_share is not known here; did you mean deletes_share?"),
        ({"ever": "10s"}, "ever is not known here; did you mean every?"),
        ({"dead_line": 5}, "dead_line is not known here; did you mean deadline?"),
        ({"name": classmethod(lambda cls: "two words")}, "its name 'two words' is not a word"),
        ({"name": classmethod(lambda cls: 7)}, "its name 7 is not a word"),
    ],
)
def test_each_mistake_is_named_with_its_cure(more: dict[str, Any], mistake: str) -> None:
    with pytest.raises(Rejected) as caught:
        checked(made(**more))
    assert str(caught.value).startswith("loop Flags has a mistake: ")
    assert mistake in str(caught.value)
    assert len(caught.value.mistakes) == 1


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(Rejected, match="loop Flags has 5 mistakes") as caught:
        checked(made(put=None, observe=None, every="x", deletes_share=2, wave_flor=3))
    assert [mistake.message.split()[0] for mistake in caught.value.mistakes] == [
        "observe()",
        "put(key,",
        "every:",
        "limit",
        "wave_flor",
    ]


@pytest.mark.parametrize("own", ["url", "port", "token", "path", "batch", "_every", "retries", "timeout"])
def test_attributes_of_ones_own_are_nobodys_business(own: str) -> None:
    checked(made(**{own: 3}))


def test_a_mixin_is_read_too_wherever_it_stands() -> None:
    mixin = type("Mixin", (), {"wave_flor": 3})
    with pytest.raises(Rejected, match="wave_floor"):
        checked(type("Flags", (Good, mixin), {})())
