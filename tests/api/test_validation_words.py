"""Every mistake that a schema finds is a plain sentence: no expression, no schema words, no long value."""

from typing import Any

import jsonschema_rs
import msgspec
import pytest

from setpoint.api.validation_words import SHAPES, meant_by, words_for
from setpoint.kinds import ALL

AnyJson = Any


def words(schema: AnyJson, value: AnyJson) -> str:
    (error,) = jsonschema_rs.validator_for(schema).iter_errors(value)
    return words_for(error)


@pytest.mark.parametrize(
    ("schema", "value", "says"),
    [
        (
            {"anyOf": [{"type": "integer", "minimum": 60}, {"type": "null"}]},
            -5,
            "-5 is too small; at least 60 is expected",
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "x",
            'a whole number or nothing was expected, not "x"',
        ),
        ({"type": ["integer", "null"]}, "x", 'a whole number or nothing was expected, not "x"'),
        ({"type": "string"}, 5, "text was expected, not 5"),
        ({"type": "boolean"}, "yes", 'true or false was expected, not "yes"'),
        ({"enum": ["A", "AAAA", "CAA", "MX"]}, "AAA", '"AAA" is none of A, AAAA, CAA, MX'),
        ({"minimum": 1}, 0, "0 is too small; at least 1 is expected"),
        ({"maximum": 1}, 2, "2 is too large; at most 1 is expected"),
        ({"exclusiveMinimum": 0}, 0, "0 is too small; more than 0 is expected"),
        ({"exclusiveMaximum": 9}, 9, "9 is too large; less than 9 is expected"),
        ({"required": ["domain"]}, {}, "domain is needed"),
        ({"minItems": 1}, [], "at least 1 item is expected"),
        ({"maxItems": 1}, [1, 2], "there are too many; at most 1 item is expected"),
        ({"minLength": 2}, "a", "it is too short; at least 2 characters are expected"),
        ({"maxLength": 2}, "abc", "it is too long; at most 2 characters are expected"),
        ({"minProperties": 1}, {}, "at least 1 field is expected"),
        ({"uniqueItems": True}, [1, 1], "the same item is in it twice"),
        ({"type": "integer"}, "x" * 50, "a whole number was expected, not this"),
    ],
)
def test_a_mistake_is_a_plain_sentence(schema: AnyJson, value: AnyJson, says: str) -> None:
    assert words(schema, value) == says


def test_what_is_not_worded_keeps_a_long_value_to_itself() -> None:
    text = "hunter2" * 10
    assert text not in words({"const": 5}, text)
    assert text not in words({"not": {"type": "string"}}, text)


def test_an_option_that_is_nearly_right_is_named() -> None:
    (error,) = jsonschema_rs.validator_for({"enum": ["A", "AAAA"]}).iter_errors("AAA")
    assert meant_by(error) == "AAAA"


def patterns(node: AnyJson) -> list[str]:
    if isinstance(node, dict):
        own = [node["pattern"]] if isinstance(node.get("pattern"), str) else []
        return own + [found for inner in node.values() for found in patterns(inner)]
    return [found for inner in node for found in patterns(inner)] if isinstance(node, list) else []


@pytest.mark.parametrize(
    "pattern", sorted({p for kind in ALL for p in patterns(msgspec.json.schema(kind.spec))})
)
def test_nobody_is_shown_an_expression(pattern: str) -> None:
    shown = words({"type": "string", "pattern": pattern}, "\n ä ä\n")
    assert not set(shown) & set("^$[]{}\\*+?()")
    assert pattern in SHAPES or pattern.startswith("^secret://") or "another spelling" in shown
