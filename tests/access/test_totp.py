"""The second factor: the codes of the standard, each taken once, one step around now."""

import base64

import pytest

from setpoint.access.totp import STEP, code_at, counter_of, normal_code, provisioning, recovery_code, totp_key

KEY = base64.b32encode(b"12345678901234567890").decode()
"""Of the examples in RFC 6238."""


@pytest.mark.parametrize(
    ("at", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_are_those_of_the_standard(at: int, code: str) -> None:
    assert code_at(KEY, at // STEP) == code
    assert counter_of(KEY, code, float(at), 0) == at // STEP


@pytest.mark.parametrize(("steps", "taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_code_is_taken_one_step_around_now(steps: int, taken: bool) -> None:
    now = 1_000_000_000.0
    code = code_at(KEY, int(now) // STEP + steps)
    assert (counter_of(KEY, code, now, 0) is not None) is taken


def test_a_code_is_taken_once_and_none_before_it_afterwards() -> None:
    now = 1_000_000_000.0
    current = int(now) // STEP
    assert counter_of(KEY, code_at(KEY, current), now, current) is None
    assert counter_of(KEY, code_at(KEY, current - 1), now, current) is None
    assert counter_of(KEY, code_at(KEY, current + 1), now, current) == current + 1


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "\uff12\uff18\uff17\uff10\uff18\uff12"])
def test_what_is_no_code_is_not_taken(code: str) -> None:
    assert counter_of(KEY, code, 59.0, 0) is None


def test_an_authenticator_reads_key_and_name() -> None:
    uri = provisioning(KEY, "zoë+ops@acme.example")
    assert uri.startswith("otpauth://totp/Setpoint%3Azo%C3%AB%2Bops%40acme%2Eexample?secret=")
    assert f"secret={KEY}&issuer=Setpoint" in uri


def test_keys_and_recovery_codes_are_long_enough_and_differ() -> None:
    assert len(base64.b32decode(totp_key("a"))) == 20
    assert totp_key("a") != totp_key("b")
    code = recovery_code("a")
    assert [len(part) for part in code.split("-")] == [5] * 5
    assert code != recovery_code("b")
    assert normal_code(f" {code.upper().replace('-', ' ')} ") == normal_code(code)
