"""The table of guarantees names every module, and every module can fail."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROWS = re.findall(r"^\| (\d+) \|", (HERE / "TABLE.md").read_text(), re.MULTILINE)


def test_there_are_twenty_eight_rows() -> None:
    assert [int(row) for row in ROWS] == list(range(1, 29))


@pytest.mark.parametrize("number", range(1, 29))
def test_each_guarantee_has_one_module_with_a_proof_and_a_removal(number: int) -> None:
    [module] = HERE.glob(f"test_g{number:02d}_*.py")
    names = re.findall(r"^(?:async )?def (test_\w+)", module.read_text(), re.MULTILINE)
    removals = [name for name in names if name.startswith("test_removed_")]
    assert removals
    assert len(names) > len(removals)
