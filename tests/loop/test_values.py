"""Any value has one spelling, two values are the same if it is, and the loop gets its own object back."""

import asyncio
import datetime as dt
import decimal
import enum
import ipaddress
import json
import uuid
from collections import ChainMap, OrderedDict, UserDict, deque
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.loop import trial
from setpoint.loop.values import check_key, like, spelled, told

from .things import Shelf


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Point(NamedTuple):
    x: int
    y: int


class Typed(TypedDict):
    on: bool


class Struct(msgspec.Struct, frozen=True):
    on: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plain:
    on: bool
    inner: "Plain | None" = None
    tags: frozenset[str] = frozenset()
    more: dict[str, Any] = field(default_factory=dict, hash=False)


UTC = dt.UTC


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"b": 1, "a": [True, None]}, {"a": [True, None], "b": 1}),
        ("text", "text"),
        (7, 7),
        (2.5, 2.5),
        (2.0, 2),
        (False, False),
        (None, None),
        (2**70, 2**70),
        (Typed(on=True), {"on": True}),
        (Struct(on=True, names=("x",)), {"on": True, "names": ["x"]}),
        (
            Plain(on=False, inner=Plain(on=True), tags=frozenset("ba")),
            {
                "on": False,
                "inner": {"on": True, "inner": None, "tags": [], "more": {}},
                "tags": ["a", "b"],
                "more": {},
            },
        ),
        (Colour.RED, "red"),
        (Level.LOW, 1),
        (Point(1, 2), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (deque([1, 2]), [1, 2]),
        ({"when": dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}, {"when": "2026-01-02T03:04:05Z"}),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (dt.timedelta(days=1), "P1D"),
        (decimal.Decimal("1.10"), "1.10"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("/etc/hosts"), "/etc/hosts"),
        (PurePosixPath("a/b"), "a/b"),
        (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
        (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8"),
        (b"ab", "YWI="),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (ChainMap({"a": 1}, {"b": 2}), {"a": 1, "b": 2}),
        (UserDict({"a": (1, 2)}), {"a": [1, 2]}),
        (OrderedDict(b=1, a=2), {"a": 2, "b": 1}),
        ({1: "one", uuid.UUID(int=2): {"x"}}, {"1": "one", "00000000-0000-0000-0000-000000000002": ["x"]}),
        (range(3), [0, 1, 2]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_sort_of_value_can_be_said(value: Any, said: Any) -> None:
    assert told(spelled(value)) == said
    assert spelled(said) == spelled(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"n": 1}, {"n": 1.0}),
        ({"n": [0, -0.0]}, {"n": [0.0, 0]}),
        ({"s": {"x", "y", "z"}}, {"s": ["x", "y", "z"]}),
        ({"t": (1, (2,))}, {"t": [1, [2]]}),
        (Struct(on=True), {"on": True, "names": []}),
    ],
)
def test_what_means_the_same_is_spelled_the_same(one: Any, other: Any) -> None:
    assert spelled(one) == spelled(other)


@pytest.mark.parametrize(
    ("one", "other"), [(True, 1), (False, 0), (1, "1"), (None, False), ([], {}), ("a", ["a"]), (0.1, 0.2)]
)
def test_what_python_or_a_reader_might_confuse_is_spelled_differently(one: Any, other: Any) -> None:
    assert spelled({"v": one}) != spelled({"v": other})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (object(), "a value in it is an object"),
        ({"a": {"b": lambda: 1}}, "a value in it is a function"),
        (complex(1), "complex"),
        ({"a": float("nan")}, "there is a nan in it"),
        ([float("-inf")], "there is a -inf in it"),
        ("\ud800", "surrogates not allowed"),
        ({(1, 2): 3}, "keys are supported"),
        ({1, "a"}, "not supported between"),
        ((each for each in ()), "a value in it is a generator"),
        (open, "builtin_function_or_method"),
    ],
)
def test_what_json_cannot_say_is_an_error_that_says_what_it_was(value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        spelled(value)


def test_a_value_that_holds_itself_is_an_error() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="JSON cannot say it"):
        spelled(endless)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_a_spelling_is_its_own_spelling(value: Any) -> None:
    try:
        text = spelled(value)
    except ValueError:
        return  # Text that is not text: half a pair of surrogates.
    assert spelled(told(text)) == text
    assert json.loads(text) is not ...


class Secret:
    """As pydantic has it."""

    def __init__(self, held: str) -> None:
        self.held = held

    def get_secret_value(self) -> str:
        return self.held


def test_a_secret_is_compared_but_never_spelled() -> None:
    assert b"hunter2" not in spelled({"password": Secret("hunter2")})
    assert spelled(Secret("hunter2")) == spelled(Secret("hunter2"))
    assert spelled(Secret("hunter2")) != spelled(Secret("hunter3"))


@pytest.mark.parametrize("example", [Struct(on=True), Plain(on=True), {"on": True}, Colour.RED, (1,)])
def test_a_value_can_be_made_again_in_the_image_of_another(example: Any) -> None:
    assert like(example, told(spelled(example))) == example


def test_what_does_not_fit_the_image_says_so() -> None:
    with pytest.raises(ValueError, match=r"is not a Struct: Expected `bool`"):
        like(Struct(on=True), {"on": "perhaps"})


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (1, "the key 1 is an int; keys are text, so spell it with str"),
        (uuid.UUID(int=1), "keys are text"),
        (("a", "b"), "keys are text"),
        (None, "keys are text"),
        (b"a", "keys are text"),
        ("", "a key is empty text"),
        ("a\nb", "cannot be shown on one line"),
        ("a\x00", "cannot be shown on one line"),
        ("\ud800", "cannot be shown on one line"),
    ],
)
def test_a_key_is_one_line_of_text(key: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_key(key)


@pytest.mark.parametrize("key", ["a", "www.example.org/A", "with space", "ünïcode", "a|b", "0"])
def test_anything_else_is_a_key(key: str) -> None:
    assert check_key(key) == key


def attrs_value() -> Any:
    attrs = pytest.importorskip("attrs")
    return attrs.make_class("Flag", {"on": attrs.field(type=bool)}, frozen=True)(on=True)


def pydantic_value() -> Any:
    pydantic = pytest.importorskip("pydantic")
    return pydantic.create_model("Flag", on=(bool, True), when=(dt.date, dt.date(2026, 1, 2)))()


def pydantic_of_old() -> Any:
    pydantic = pytest.importorskip("pydantic.v1")
    return pydantic.create_model("Flag", on=(bool, True))()


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"on": True},
        lambda: Struct(on=True),
        lambda: Plain(on=True),
        lambda: Typed(on=True),
        lambda: Colour.RED,
        lambda: dt.datetime(2026, 1, 2, tzinfo=UTC),
        lambda: Path("/etc"),
        lambda: {"a", "b"},
        attrs_value,
        pydantic_value,
        pydantic_of_old,
    ],
)
async def test_put_gets_the_very_object_that_desired_gave(make: Any) -> None:
    value = make()
    loop = Shelf({"a": value}, {})
    async with trial(loop) as t:
        await t.run_for("2m")
        assert t.status().state == "READY"
    assert [(call[0], call[1]) for call in loop.calls] == [("put", "a")]
    assert loop.calls[0][2] is value
    await asyncio.sleep(0)


def test_a_pydantic_model_is_made_again_from_what_is_left_of_it() -> None:
    value = pydantic_value()
    assert like(value, told(spelled(value))) == value
