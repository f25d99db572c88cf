"""English that depends on a number or on the next word, and that there is one way to write it."""

import re
from pathlib import Path

import pytest

import setpoint
from setpoint.words import add_article, times

SOURCE = Path(setpoint.__file__).parent
BARE = re.compile(r"\} times")
ARTICLE = re.compile(r"\b[Aa] \{")
APART = {"words.py"}
"""Where it is done."""


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 times"), (1, "once"), (2, "2 times"), (1200, "1,200 times")]
)
def test_a_number_of_times_is_in_english(number: int, said: str) -> None:
    assert times(number) == said


@pytest.mark.parametrize(
    ("noun", "said"),
    [
        *((noun, f"a {noun}") for noun in ("host", "user", "TXT", "CNAME", "TLSA", "URL", "dict", "DnsZone")),
        *((noun, f"an {noun}") for noun in ("MX", "A", "AAAA", "SRV", "NS", "RP", "HTTPS", "HINFO", "int")),
        ("organization", "an organization"),
        ("OSError", "an OSError"),
        ("IPv4 address", "an IPv4 address"),
    ],
)
def test_an_article_is_that_of_the_next_word_as_it_is_spoken(noun: str, said: str) -> None:
    assert add_article(noun) == said


def test_no_sentence_counts_or_puts_an_article_by_itself() -> None:
    found = [
        f"{name}:{number} {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if (name := str(path.relative_to(SOURCE))) not in APART
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if ARTICLE.search(line) or (BARE.search(line) and "times(" not in line)
    ]
    assert found == [], "use times() and add_article() of setpoint.words"
