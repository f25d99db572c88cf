"""Credentials and links in time: how long each holds."""

import pytest

from setpoint.engine.account import Link
from setpoint.engine.token import Token


@pytest.mark.parametrize(
    ("now", "expires_at", "idle_seconds", "holds"),
    [
        (9e9, 0.0, 0.0, True),
        (99.0, 100.0, 0.0, True),
        (100.0, 100.0, 0.0, False),
        (69.0, 0.0, 20.0, True),
        (70.0, 0.0, 20.0, False),
        (60.0, 60.0, 20.0, False),
    ],
    ids=["for-ever", "not-yet", "run-out", "used-lately", "idle", "run-out-though-used"],
)
def test_a_credential_holds_until_its_end_and_while_it_is_used(
    now: float, expires_at: float, idle_seconds: float, holds: bool
) -> None:
    token = Token(
        hash="a", subject="ann", role="", seen_at=50.0, expires_at=expires_at, idle_seconds=idle_seconds
    )
    assert token.holds_at(now) is holds


def test_a_link_holds_until_its_end() -> None:
    link = Link(hash="a", purpose="recover", expires_at=100.0)
    assert link.holds_at(99.9)
    assert not link.holds_at(100.0)
