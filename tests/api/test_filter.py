"""The language of filters: what it finds, and how it says what is wrong."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.api.filter import read_filter

HOST = {
    "kind": "host",
    "metadata": {
        "name": "web-1",
        "labels": {"team": "shop", "a b": "c"},
        "generation": 3,
        "protected": False,
    },
    "spec": {"size": 4, "image": "debian-12", "tags": ["a", "b"], "share": 0.5, "note": 'say "hi"'},
    "status": {"state": "HELD", "reason": "no", "facts": {"up": True}},
}
TRUE = [
    'state == "HELD"',
    "state == 'HELD'",
    'state == "HELD" && spec.size > 2',
    'state == "READY" || spec.size >= 4',
    'state != "READY" && !(spec.size < 4)',
    'name == "web-1"',
    'labels.team == "shop"',
    'labels["a b"] == "c"',
    'metadata["labels"].team == "shop"',
    'labels.team in ["blog", "shop"]',
    '"a" in spec.tags',
    '"team" in labels',
    "spec.missing == null",
    "spec.missing != 1",
    "!metadata.protected",
    "status.facts.up",
    "status.facts.up == true",
    "spec.size != true",
    "spec.share <= 0.5",
    "spec.size > -1",
    'spec.image > "debian-11"',
    'spec.note == "say \\"hi\\""',
    'kind == "host"',
    "true",
    '  state=="HELD"&&spec.size<=4  ',
    "metadata.generation in [1, 2, 3]",
    'state == "X" && false || spec.size == 4',
]
FALSE = [
    'state == "READY"',
    "spec.missing > 1",
    "spec.missing < 1",
    'spec.size > "2"',
    "spec.size",
    "spec.image",
    '"c" in spec.tags',
    '"x" in spec.missing',
    "status.facts.up == 1",
    "metadata.protected",
    "null",
    'state == "HELD" && (spec.size > 9 || name == "x")',
    "!true",
    "1 in []",
]


@pytest.mark.parametrize(("text", "wanted"), [*((t, True) for t in TRUE), *((t, False) for t in FALSE)])
def test_a_filter_means_what_it_says(text: str, wanted: bool) -> None:
    found, wrong = read_filter(text)
    assert wrong == ()
    assert found is not None
    assert found.wants(HOST) is wanted


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('state = "HELD"', [6]),
        ('state == "HELD" & name == "x"', [16]),
        ("state == ", [9]),
        ("(state == 1", [11]),
        ("state == 1)", [10]),
        ("size > 2", [0]),
        ('size > 2 && colour == "red"', [0, 12]),
        ('state == "HELD', [9]),
        ("spec. == 1", [6]),
        ("spec.[1]", [5]),
        ("labels[team]", [7]),
        ("state state", [6]),
        ("a in [1 2]", [0, 8]),
        ("&& true", [0]),
        ("", [0]),
        ("; # %", [0, 2, 4]),
        ("(" * 30 + "true" + ")" * 30, [20]),
        ("x" * 2000, [0]),
    ],
    ids=lambda value: str(value)[:24],
)
def test_every_mistake_has_its_place(text: str, places: list[int]) -> None:
    found, wrong = read_filter(text)
    assert found is None
    assert [mistake.hint.splitlines()[1].index("^") for mistake in wrong] == places
    for mistake, place in zip(wrong, places, strict=True):
        assert mistake.message.startswith(f"filter, character {place + 1}: ")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["state", "x"]), inner),
    max_leaves=8,
)


@given(st.text("state.spec&|!()<>=in[]'\" 1,", max_size=40), anything)
@settings(max_examples=80, deadline=None)
def test_no_text_breaks_the_reader_and_no_object_the_filter(text: str, found: Any) -> None:
    wanted, wrong = read_filter(text)
    assert (wanted is None) == bool(wrong)
    if wanted is not None:
        assert wanted.wants(found) in (True, False)
        assert wanted.wants({"spec": found, "status": found}) in (True, False)
