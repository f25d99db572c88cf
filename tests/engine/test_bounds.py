"""The table of bounds, and what holds an object to it."""

import pytest

from setpoint.engine import bounds
from setpoint.engine.bounds import (
    BOUNDS,
    LABEL_KEY,
    LABEL_VALUE,
    LABELS,
    OBJECT_BYTES,
    REASON,
    SHORT,
    TEXT,
    TEXTS,
    Bound,
    label_mistakes,
    size_mistakes,
    text_mistakes,
)


def test_every_bound_is_in_the_table_once() -> None:
    named = [value for value in vars(bounds).values() if isinstance(value, Bound)]
    assert sorted(each.name for each in named) == sorted(each.name for each in BOUNDS)


@pytest.mark.parametrize("letter", ["a", "é", "🦄"])
def test_labels_are_counted_in_bytes(letter: str) -> None:
    size = len(letter.encode())
    key, value = letter * (LABEL_KEY.most // size), letter * (LABEL_VALUE.most // size)
    assert not list(label_mistakes({key: value}))
    assert len(list(label_mistakes({key + letter: value + letter}))) == 2


def test_too_many_labels_are_one_mistake_and_a_key_is_escaped() -> None:
    most = {f"k{number}": "" for number in range(LABELS.most)}
    assert not list(label_mistakes(most))
    [(at, said)] = label_mistakes({**most, "one/more": "x" * 999})
    assert (at, said) == ("", "65 labels; an object has at most 64")
    [(at, _)] = label_mistakes({"a/b": "x" * 999})
    assert at == "/a~1b"


def test_an_object_is_as_large_as_its_json() -> None:
    fits = "x" * (OBJECT_BYTES.most - 2 - len("{}"))
    assert not list(size_mistakes(fits, {}))
    [(at, said)] = size_mistakes(fits + "x", {})
    assert (at, said.split(" ")[0]) == ("", str(OBJECT_BYTES.most + 1))


@pytest.mark.parametrize("letter", ["a", "é", "🦄"])
def test_a_text_is_held_to_the_bound_of_its_place(letter: str) -> None:
    size = len(letter.encode())
    reason, text = letter * (REASON.most // size), letter * (TEXT.most // size)
    assert not list(text_mistakes({"reason": reason, "name": text, "in": [text, {"reason": text, text: 1}]}))
    long = {"reason": reason + letter, "in": [text, text + letter, {"a/b": text + letter, text + letter: 1}]}
    found = [at for at, _ in text_mistakes(long)]
    assert found == ["/reason", "/in/1", "/in/2/a~1b", f"/in/2/{letter * 64}"]
    assert [at for at, _ in text_mistakes(text + letter)] == [""]


def test_what_is_held_to_the_bounds_of_an_object_or_is_opaque_is_left_alone() -> None:
    text = "x" * (TEXT.most + 1)
    held = {"spec": {"values": [text]}, "metadata": {"labels": {text: text}}}
    assert not list(text_mistakes({**held, "items": [held], "value": text}, ("value",)))
    assert [
        at for at, _ in text_mistakes({"items": {"spec": text}, "metadata": {"spec": text}, "labels": text})
    ] == [*("/items/spec", "/metadata/spec", "/labels")]


def test_what_is_short_fits_everywhere() -> None:
    assert len(("🦄" * SHORT).encode()) <= min(bound.most for bound in (TEXT, *TEXTS.values()))
