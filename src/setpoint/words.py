"""English that depends on a number or on the next word: `once`, `3 times`, `an MX`."""

from typing import Final

SPELT_WITH_A_VOWEL: Final = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: an MX, an SRV, but a TXT."""


def times(number: int) -> str:
    """`once`, `3 times`."""
    return "once" if number == 1 else f"{number:,} times"


def add_article(noun: str) -> str:
    """`a host`, `an organization`; what is spelt letter by letter by its first one: `an MX`, `a TXT`."""
    spelt = noun[:2].isupper() or (len(noun) == 1 and noun.isupper())
    vowel = noun[:1] in SPELT_WITH_A_VOWEL if spelt else noun[:1].lower() in tuple("aeio")
    return f"an {noun}" if vowel else f"a {noun}"
