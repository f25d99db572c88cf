"""What is hidden, and what is not."""

import pytest

from setpoint.cli.redact import HIDDEN, is_secret, redacted


@pytest.mark.parametrize(
    ("field", "secret"),
    [
        ("token", True),
        ("secret", True),
        ("password", True),
        ("api_token", True),
        ("apiToken", True),
        ("client-secret", True),
        ("Passwords", True),
        ("token_ttl", False),
        ("secretary", False),
        ("next_page_token_count", False),
        ("credential", True),
        ("credential_name", False),
    ],
)
def test_a_field_is_secret_by_its_name(field: str, secret: bool) -> None:
    assert is_secret(field) is secret


def test_secrets_are_hidden_at_every_depth_and_references_shown() -> None:
    value = {"a": [{"password": "x"}], "token": "secret://name", "secrets": ["y"], "b": {"secret": None}}
    assert redacted(value) == {
        "a": [{"password": HIDDEN}],
        "token": "secret://name",
        "secrets": HIDDEN,
        "b": {"secret": None},
    }
