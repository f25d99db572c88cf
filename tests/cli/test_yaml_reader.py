"""YAML by the rules of 1.2, every mistake with its place, and a writer that agrees with the reader."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from setpoint.cli.source import Source
from setpoint.cli.yaml_reader import read
from setpoint.cli.yaml_writer import dumped


def value_of(text: str) -> Any:
    documents, findings = read(Source("t.yaml", text))
    assert findings == []
    return documents[0].value


def findings_in(text: str) -> list[str]:
    return [f"{f.place.line + 1}:{f.place.column + 1} {f.message}" for f in read(Source("t.yaml", text))[1]]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("1:30", "1:30"),
        ("22:22", "22:22"),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("-7", -7),
        ("+7", 7),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("2026-11-15", "2026-11-15"),
        ("2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z"),
        ("=", "="),
        ("'no'", "no"),
        ('"1"', "1"),
        ("!!str 1", "1"),
        ('!!int "7"', 7),
        ("1.2.3.4", "1.2.3.4"),
        ("[no, 1, [a]]", ["no", 1, ["a"]]),
        ("{a: no}", {"a": "no"}),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(written: str, meant: object) -> None:
    assert value_of(f"key: {written}\n") == {"key": meant}


def test_keys_are_words_as_they_are_written() -> None:
    assert value_of("on: 1\n80: 2\ntrue: 3\n") == {"on": 1, "80": 2, "true": 3}


def test_anchors_and_aliases_work() -> None:
    assert value_of("a: &x {b: 1}\nc: *x\n") == {"a": {"b": 1}, "c": {"b": 1}}


def test_many_documents_are_read_and_empty_ones_left_out() -> None:
    documents, _ = read(Source("t.yaml", "---\na: 1\n---\n---\n# nothing\n---\nb: 2\n"))
    assert [document.value for document in documents] == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\nb: 2\na: 3\n", ["3:1 a is here twice"]),
        ("a:\n  b: 1\n  b: 1\nc: {d: 1, d: 2}\n", ["3:3 b is here twice", "4:11 d is here twice"]),
        (
            "a: .inf\nb: 1e999\n",
            ["1:4 .inf is no number that can be sent", "2:4 1e999 is no number that can be sent"],
        ),
        ("a: !thing b\n", ["1:4 the tag !thing means nothing here"]),
        ("a: &x {b: 1}\nc: {<<: *x}\n", ["2:5 << is not part of YAML 1.2"]),
        ("[a]: 1\n", ["1:1 a key must be a word, not a list or a mapping"]),
        ("a: &x [*x]\n", ["1:4 nested more than 64 deep"]),
        ("[" * 10_000, ["1:65 nested more than 64 deep"]),
        ("- " * 10_000, ["1:129 nested more than 64 deep"]),
        (
            "a: [1, 2\nb: 3\n",
            ["2:2 broken YAML: while parsing a flow sequence, did not find expected ',' or ']'"],
        ),
        (
            "a:\n\tb: 1\n",
            [
                "2:1 broken YAML: while scanning for the next token, "
                "found character that cannot start any token"
            ],
        ),
        ("a: 'b\n", ["2:1 broken YAML: while scanning a quoted scalar, found unexpected end of stream"]),
        ("a: \x07b\n", ["1:4 broken YAML: control characters are not allowed"]),
    ],
)
def test_a_mistake_is_found_with_its_place(text: str, found: list[str]) -> None:
    assert findings_in(text) == found


def test_a_small_file_cannot_become_an_enormous_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setpoint.cli.yaml_reader.MOST_NODES", 10_000)
    bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    for before, after in zip("abcdefg", "bcdefgh", strict=True):
        bomb += f"{after}: &{after} [{','.join([f'*{before}'] * 10)}]\n"
    assert [finding.message for finding in read(Source("t.yaml", bomb))[1]] == ["far too large"]


@pytest.mark.parametrize(
    ("pointer", "key", "place"),
    [
        ("/spec/zone", False, (2, 8)),
        ("/spec/zone", True, (2, 2)),
        ("/spec/values/1", False, (5, 4)),
        ("/spec/values", False, (3, 2)),
        ("/spec/missing/deeper", False, (1, 0)),
        ("/metadata/a~1b", False, (6, 16)),
        ("", False, (0, 0)),
    ],
)
def test_a_pointer_leads_to_its_place_or_the_nearest_above(
    pointer: str, key: bool, place: tuple[int, int]
) -> None:
    text = "kind: x\nspec:\n  zone: no\n  values:\n  - a\n  - b\nmetadata: {a/b: c}\n"
    documents, _ = read(Source("t.yaml", text))
    found = documents[0].place(pointer, key=key)
    assert (found.line, found.column) == place


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
)
words = st.sampled_from(
    ["no", "1e3", "0o17", "0x1f", "1:30", "~", "", "true", "1_0", "<<", ".5", "- a", "a: b", "é"]
)
texts = words | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(texts, values, min_size=1, max_size=4))
def test_what_is_written_reads_back_the_same_in_both_versions(value: dict[str, Any]) -> None:
    text = dumped([value])
    assert value_of(text) == value
    assert yaml.safe_load(text) == value
