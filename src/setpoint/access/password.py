"""What a password has to be: long, and not among the first that anybody would try; of any characters."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from setpoint.engine.errors import Mistake

ALONE: Final = 15
BESIDE_A_SECOND_FACTOR: Final = 12
LONGEST: Final = 128
LEFT: Final = 8
"""So many characters must be left once everything guessable is taken out."""
DISTINCT: Final = 5
RUN: Final = 4
SHORTEST_WORD: Final = 3
_ROWS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "qwertyuiop asdfghjkl zxcvbnm",
    "qwertzuiop asdfghjkl yxcvbnm",
    "azertyuiop qsdfghjklm wxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
    "1q2w3e4r5t6z7u8i9o0p",
    "1q2w3e4r5t6y7u8i9o0p",
)
_SEQUENCES: Final = (*_ROWS, *(row[::-1] for row in _ROWS))
_WORDS: Final = (
    *("administrator", "superuser", "password", "passwort", "passphrase", "motdepasse", "contrasena"),
    *("letmein", "iloveyou", "whatever", "trustno", "starwars", "pokemon", "football", "baseball"),
    *("superman", "batman", "sunshine", "princess", "dragon", "monkey", "shadow", "master", "michael"),
    *("welcome", "willkommen", "changeme", "default", "secret", "geheim", "computer", "internet"),
    *("login", "admin", "guest", "user", "root", "test", "demo", "hello", "love", "correct horse battery"),
    *("correcthorsebattery", "staple", "january", "february", "april", "august", "september", "october"),
    *("november", "december", "monday", "friday", "spring", "summer", "autumn", "winter", "setpoint"),
)
_LOOKALIKES: Final = str.maketrans("@40135$7!", "aaoiesstl")


def normal_password(password: str) -> str:
    """The same characters, however a keyboard composes them."""
    return unicodedata.normalize("NFC", password)


def least(second_factor: bool) -> int:
    return BESIDE_A_SECOND_FACTOR if second_factor else ALONE


def password_mistakes(
    password: str, context: Iterable[str], second_factor: bool = False, pointer: str = "/password"
) -> Iterator[Mistake]:
    """Everything wrong with it; `context` is what an attacker knows: address, name, organization."""
    length, shortest = len(normal_password(password)), least(second_factor)
    if length < shortest:
        message = f"a password has {shortest} characters or more, this one has {length}"
        yield Mistake(
            pointer=pointer, code="too_short", message=message, hint="several words make a good one"
        )
    if length > LONGEST:
        message = f"a password has at most {LONGEST} characters, this one has {length}"
        yield Mistake(pointer=pointer, code="too_long", message=message)
    elif guessable(password, context):
        message = "this password is among the first that anybody would try"
        hint = "leave out names, common words, rows of keys and repetitions"
        yield Mistake(pointer=pointer, code="guessable", message=message, hint=hint)


def guessable(password: str, context: Iterable[str]) -> bool:
    """Whether little is left of it without common words, what is known of its owner, rows and repetitions."""
    plain = normal_password(password).casefold()
    words = {*_WORDS, *(word for text in context for word in _parts(text))}
    return any(_little(_without(spelling, words)) for spelling in (plain, plain.translate(_LOOKALIKES)))


def _parts(text: str) -> Iterator[str]:
    whole = text.casefold()
    for word in (whole, *re.split(r"[\W_]+", whole)):
        if len(word) >= SHORTEST_WORD:
            yield word


def _without(text: str, words: Iterable[str]) -> str:
    for word in sorted(words, key=lambda word: (-len(word), word)):
        text = text.replace(word, " ")
    return _once(_without_rows(text))


def _without_rows(text: str) -> str:
    """Without what is typed by running a finger along a row."""
    left, at = "", 0
    while at < len(text):
        size = max((_along(text[at:], row) for row in _SEQUENCES), default=0)
        if size >= RUN:
            at += size
        else:
            left, at = left + text[at], at + 1
    return left


def _along(text: str, row: str) -> int:
    """How far the text goes along this row from its first character on."""
    return max((_shared(text, row[start:]) for start in range(len(row)) if row[start] == text[0]), default=0)


def _shared(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _once(text: str) -> str:
    """Of what is repeated, one."""
    for size in range(1, len(text) // 2 + 1):
        if all(text[at] == text[at % size] for at in range(len(text))):
            return text[:size]
    return text


def _little(text: str) -> bool:
    left = re.sub(r"\s", "", text)
    return len(left) < LEFT or len(set(left)) < DISTINCT
