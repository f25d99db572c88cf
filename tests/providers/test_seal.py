"""The seal: opens with its own key, at its own place, and not at all after a single bit was changed."""

import base64
from itertools import count

from setpoint.providers.seal import AesSeal

NUMBERS = map(str, count())


def seal(secret: str = "key") -> AesSeal:  # noqa: S107 - a key of this test
    return AesSeal(secret, lambda: next(NUMBERS))


def test_what_was_closed_opens_at_its_place_with_its_key() -> None:
    closed = seal().closed("ABCD2345", "factors/u1/totp")
    assert "ABCD2345" not in closed
    assert seal().opened(closed, "factors/u1/totp") == "ABCD2345"
    assert seal().opened(closed, "factors/u2/totp") is None
    assert seal("other").opened(closed, "factors/u1/totp") is None


def test_any_changed_bit_is_noticed() -> None:
    raw = base64.b64decode(seal().closed("ABCD2345", "place"))
    for at in range(len(raw)):
        changed = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        assert seal().opened(base64.b64encode(changed).decode(), "place") is None
    for nonsense in ("", "?", "AAAA", "A" * 64):
        assert seal().opened(nonsense, "place") is None


def test_the_same_value_is_never_closed_twice_alike() -> None:
    assert seal().closed("a", "place") != seal().closed("a", "place")
