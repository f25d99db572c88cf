"""Addresses: one spelling for each person."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from setpoint.access.email import normal, well_formed


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ann@ACME.example", "ann@acme.example"),
        ("  ann@acme.example ", "ann@acme.example"),
        ("\uff41\uff4e\uff4e@acme.example", "ann@acme.example"),
        ("STRASSE@x.de", "strasse@x.de"),
        ("straße@x.de", "strasse@x.de"),
    ],
)
def test_one_person_has_one_spelling(written: str, kept: str) -> None:
    assert normal(written) == kept


@given(some.text(max_size=40))
@example("\u00b8")
@example("\u00a0ann\u2003")
def test_the_spelling_is_settled(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@pytest.mark.parametrize("email", ["a@b.c", "ann+ops@acme.example", "zoë@exämple.de", f"{'a' * 64}@b.cd"])
def test_addresses_are_taken(email: str) -> None:
    assert well_formed(email)


@pytest.mark.parametrize(
    "email",
    [
        *("", "ann", "ann@", "@acme.example", "ann@acme", "a b@c.de", "a@b@c.de", "a@b."),
        *(f"{'a' * 65}@b.cd", f"a@{'b' * 250}.cd", "a\n@b.cd", "ann@acme.example\nbcc: eve@x.de"),
    ],
    ids=range(12),
)
def test_what_mail_could_not_go_to_is_no_address(email: str) -> None:
    assert not well_formed(email)
