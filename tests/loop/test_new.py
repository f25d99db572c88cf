"""`setpoint new loop`: what it writes works as it is, and nothing is ever overwritten."""

import ast
from pathlib import Path

import pytest

from loop.commands import Folder
from setpoint.loop.commands.new import files, mistakes


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


WRITTEN = ("switches.py", "switches.json", "test_switches.py", "README.md")


def test_the_generated_loop_plans_runs_and_passes_its_own_test(folder: Folder) -> None:
    made = folder.setpoint("new", "loop", "switches")
    assert made.code == 0
    assert made.out == "wrote " + ", ".join(f"switches/{file}" for file in WRITTEN) + "\n"
    steps = ("cd switches", "setpoint plan switches.py", "setpoint run switches.py --enforce")
    assert made.err.splitlines() == [f"  next: {step}" for step in steps]
    inside = Folder(folder.path / "switches")
    assert inside.setpoint("plan", "switches.py").code == 3
    assert inside.setpoint("run", "switches.py", "--enforce", "--once").code == 0
    tested = inside.python("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert tested.code == 0, tested.out


def test_the_generated_loop_has_at_most_twenty_lines_besides_blank_ones() -> None:
    text = files("flags")["flags.py"]
    assert len([line for line in text.splitlines() if line.strip()]) <= 20


@pytest.mark.parametrize("name", ["flags", "dns_records", "a1"])
def test_every_generated_file_parses(name: str) -> None:
    for file, text in files(name).items():
        if file.endswith(".py"):
            ast.parse(text)


def test_nothing_is_overwritten(folder: Folder) -> None:
    assert folder.said("new", "loop", "flags").code == 0
    folder.write("flags/flags.py", "mine")
    again = folder.said("new", "loop", "flags")
    assert (again.code, again.err) == (1, "error: flags is there already; nothing was written\n")
    assert (folder.path / "flags" / "flags.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["loop"], "give it one name, not 0"),
        (["loop", "a", "b"], "give it one name, not 2"),
        (["lop", "flags"], "did you mean loop?"),
        (["loop", "My-Flags"], "is no name for a Python file"),
        (["loop", "class"], "means something else to Python"),
        (["loop", "json"], "means something else to Python"),
        (["loop", "../flags"], "is no name for a Python file"),
    ],
)
def test_a_bad_name_is_refused_with_its_reason(words: list[str], said: str) -> None:
    assert said in "; ".join(mistakes(words))


def test_all_mistakes_are_told_at_once(folder: Folder) -> None:
    ran = folder.said("new", "lop", "My-Flags")
    assert ran.code == 2
    assert "did you mean loop?" in ran.err
    assert "is no name for a Python file" in ran.err
