"""Decision records keep their shape, so that they stay short enough to be read."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "decisions"
RECORDS = sorted(FOLDER.glob("*.md"))
LISTS = {"0009-dependencies.md"}  # one short record for each entry, so neither the length nor the parts apply


def test_records_are_numbered_without_gaps() -> None:
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_record_has_a_number_a_title_and_a_date(path: Path) -> None:
    first, _, date = path.read_text().splitlines()[:3]
    assert first.startswith(f"# {path.name[:4]} ")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", date)


@pytest.mark.parametrize(
    "path", [path for path in RECORDS if path.name not in LISTS], ids=lambda path: path.name
)
def test_a_record_is_short_and_has_four_parts(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 40
    parts = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
    assert parts == ["Context", "Decision", "Consequences", "Not chosen"]
