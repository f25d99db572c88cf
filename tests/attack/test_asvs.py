"""The table of requirements names tests that exist, and covers every chapter that it says it covers."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (TESTS / "attack" / "ASVS.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith(("| chapter", "| ---"))
]
CHAPTERS = {
    *("authentication", "sessions", "authorization", "tokens", "cryptography"),
    *("API", "validation", "files", "logging", "configuration", "web frontend"),
}


def test_every_chapter_has_its_rows() -> None:
    assert {row[0] for row in ROWS} == CHAPTERS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}: {row[1][:40]}")
def test_a_row_names_tests_that_exist_or_says_that_it_has_none(row: list[str]) -> None:
    _, _, answer, tests = row
    named = re.findall(r"`([^`]+)`", tests)
    assert named or answer.startswith("**Not "), answer
    assert [name for name in named if "def test_" not in (TESTS / name).read_text()] == []
