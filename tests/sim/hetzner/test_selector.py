"""Label selectors: the whole grammar, as a table."""

import pytest

from setpoint.sim.hetzner.selector import parse, selects

OBJECTS = {
    "web": {"env": "prod", "tier": "web"},
    "db": {"env": "prod", "tier": "db"},
    "dev": {"env": "dev", "example.com/owner": "ann"},
    "bare": {},
    "blank": {"env": ""},
}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("", ["web", "db", "dev", "bare", "blank"]),
        ("env", ["web", "db", "dev", "blank"]),
        ("!env", ["bare"]),
        ("env=prod", ["web", "db"]),
        ("env==prod", ["web", "db"]),
        ("env = prod", ["web", "db"]),
        ("env=", ["blank"]),
        ("env!=prod", ["dev", "bare", "blank"]),
        ("env in (prod,dev)", ["web", "db", "dev"]),
        ("env in ( dev )", ["dev"]),
        ("env notin (prod, dev)", ["bare", "blank"]),
        ("env=prod,tier=web", ["web"]),
        ("env in (prod,dev), !tier", ["dev"]),
        ("tier notin (db),env==prod", ["web"]),
        ("example.com/owner=ann", ["dev"]),
        ("env=prod,env=dev", []),
    ],
)
def test_a_selector_selects_by_every_requirement(text: str, selected: list[str]) -> None:
    selector = parse(text)
    assert [name for name, labels in OBJECTS.items() if selects(selector, labels)] == selected


@pytest.mark.parametrize("text", ["=prod", "env in prod", "env in (a", "a,,b", "env>3", "!", "env=a b"])
def test_what_is_no_selector_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a label requirement"):
        parse(text)
