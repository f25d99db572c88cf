"""Passwords: long ones of any characters are taken, and none that anybody would try first."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from setpoint.access.password import guessable, least, normal_password, password_mistakes

CONTEXT = ("ann.smith@acme.example", "Ann Smith", "acme")


def codes(password: str, *, second_factor: bool = False) -> list[str]:
    return [each.code for each in password_mistakes(password, CONTEXT, second_factor)]


@pytest.mark.parametrize(
    "password",
    [
        "violet harbour sings at nine",
        "8391 2750 3829 1047",
        "tr0ub4dor&3 is not it",
        "пять зелёных яблок упали",
        "🦊🌊🏔️ beneath the old quay",
        "  spaces at both ends  ",
        "kx7!Qm2@vB9#zL4",
        "x" * 3 + "brindle" * 2 + "oak",
        "a9-" + "qzv7ukwp2m" * 12,
    ],
    ids=range(9),
)
def test_long_passwords_of_any_characters_are_taken(password: str) -> None:
    assert codes(password) == []


@pytest.mark.parametrize(
    "password",
    [
        "passwordpassword",
        "Password2026!!!",
        "P@ssw0rd1234567",
        "administrator123",
        "correct horse battery staple",
        "correcthorsebatterystaple",
        "qwertyuiopasdfgh",
        "qwertzuiopasdfghjkl",
        "1q2w3e4r5t6y7u8i",
        "abcdefghijklmnop",
        "zyxwvutsrqponmlk",
        "1234567890123456",
        "0987654321098765",
        "aaaaaaaaaaaaaaaa",
        "abcabcabcabcabcabc",
        "annsmith-acme-1999",
        "ann.smith@acme.example",
        "setpoint-admin-2026",
        "WelcomeWelcome2026",
        "                    ",
    ],
)
def test_what_anybody_would_try_first_is_refused(password: str) -> None:
    assert codes(password) == ["guessable"]


def test_what_is_known_of_somebody_is_no_reason_for_somebody_else() -> None:
    password = "rosalind franklin photo"  # noqa: S105 - a name
    assert guessable(password, ("Rosalind Franklin Photo",))
    assert not guessable(password, ("Ann Smith", "", "ab"))


@pytest.mark.parametrize(
    ("length", "second_factor", "wanted"),
    [
        (14, False, ["too_short"]),
        (15, False, []),
        (11, True, ["too_short"]),
        (12, True, []),
        (128, False, []),
        (129, False, ["too_long"]),
    ],
)
def test_a_password_is_as_long_as_its_use_asks_for(
    length: int, second_factor: bool, wanted: list[str]
) -> None:
    password = ("k7 qmvx tz9 bwf hu3 rjc ne5 " * 6)[:length]
    assert codes(password, second_factor=second_factor) == wanted


def test_a_second_factor_makes_up_for_three_characters() -> None:
    assert least(False) - least(True) == 3


def test_every_mistake_is_told_at_once() -> None:
    assert codes("password") == ["too_short", "guessable"]


def test_a_letter_composed_in_two_ways_is_one_letter() -> None:
    assert normal_password("u\u0308ber") == normal_password("\u00fcber")
    assert len(normal_password("u\u0308ber")) == 4


@given(some.text(max_size=200), some.lists(some.text(max_size=20), max_size=3))
def test_whatever_is_sent_is_judged(password: str, context: list[str]) -> None:
    found = [each.code for each in password_mistakes(password, context)]
    assert set(found) <= {"too_short", "too_long", "guessable"}
    assert password not in str(list(password_mistakes(password, context))) or len(password) < 15
