"""Fields and defaults read from a kind's schema, as msgspec writes it."""

from setpoint.cli.defaults import filled
from setpoint.cli.fields import fields_of

SCHEMA = {
    "$ref": "#/$defs/Group",
    "$defs": {
        "Group": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "What it is called.", "maxLength": 63},
                "size": {"enum": ["cx22", "cx32"], "default": "cx22"},
                "ttl": {"anyOf": [{"type": "integer", "minimum": 60}, {"type": "null"}], "default": None},
                "ports": {"type": "array", "items": {"$ref": "#/$defs/Port"}, "default": []},
                "limits": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}},
            },
            "required": ["name"],
        },
        "Port": {
            "type": "object",
            "properties": {"number": {"type": "integer"}, "open": {"type": "boolean", "default": True}},
            "required": ["number"],
        },
    },
}


def test_every_field_is_explained_with_type_default_and_limits() -> None:
    assert [(field.path, field.type, field.given, field.limits) for field in fields_of(SCHEMA)] == [
        ("name", "text", "needed", "up to 63 characters"),
        ("size", "cx22 | cx32", '"cx22"', ""),
        ("ttl", "integer", "null", "at least 60"),
        ("ports", "list of object", "[]", ""),
        ("ports.number", "integer", "needed", ""),
        ("ports.open", "boolean", "true", ""),
        ("limits", "integer by name", "{}", ""),
    ]


def test_what_is_left_out_is_filled_in_at_every_depth() -> None:
    value = {"name": "a", "ports": [{"number": 80}], "unknown": {"x": 1}}
    assert filled(value, SCHEMA, SCHEMA) == {
        "name": "a",
        "size": "cx22",
        "ttl": None,
        "ports": [{"number": 80, "open": True}],
        "limits": {},
        "unknown": {"x": 1},
    }


def test_a_spec_that_is_none_is_left_to_the_server() -> None:
    assert filled("text", SCHEMA, SCHEMA) == "text"
    assert filled({"a": 1}, {}, {}) == {"a": 1}
