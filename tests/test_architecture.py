"""ARCHITECTURE.md is true and short: its tree is compared with the folders, in both directions."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "setpoint"
TEXT = (ROOT / "ARCHITECTURE.md").read_text()

BUILT = {"console"}  # made by a build, so it may be missing from a fresh checkout


def test_it_can_be_read_before_lunch() -> None:
    assert len(TEXT.splitlines()) <= 150


def test_everything_printed_exists() -> None:
    assert [path for path in sorted(printed(TEXT) - BUILT) if not (SOURCE / path).exists()] == []


def test_every_folder_is_printed() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/*.py")}
    assert sorted(folders - printed(TEXT)) == []


def test_every_file_of_the_engine_is_printed() -> None:
    files = {f"engine/{path.name}" for path in (SOURCE / "engine").glob("*.py")} - {"engine/__init__.py"}
    assert sorted(files - printed(TEXT)) == []


@pytest.mark.parametrize(
    ("tree", "paths"),
    [
        ("├── loop.py   the front door", {"loop.py"}),
        (
            "├── engine/   the machinery\n│   ├── plan.py   what to do\n└── cli/   commands",
            {"engine", "engine/plan.py", "cli"},
        ),
        ("├── api/  worker/   services, see engine/", {"api", "worker"}),
        ("├── a/\n│   └── b/\n│       └── c.py   deep\n└── d.py", {"a", "a/b", "a/b/c.py", "d.py"}),
    ],
)
def test_a_tree_is_read_as_printed(tree: str, paths: set[str]) -> None:
    assert printed(f"Words\n\n```\nsrc/setpoint/\n{tree}\n```\n") == paths


def printed(text: str) -> set[str]:
    """The paths in the tree that starts with `src/setpoint/`; a line may name several folders."""
    _, _, tree = text.partition("```\nsrc/setpoint/\n")
    paths: set[str] = set()
    parents: list[str] = []
    for line in tree.partition("```")[0].splitlines():
        if not (entry := re.match(r"((?:│   |    )*)[├└]── ((?:[\w.]+/\s+)*[\w.]+/?)", line + " ")):
            continue
        depth = len(entry[1]) // 4
        names = [called.rstrip("/") for called in entry[2].split() if called.endswith("/")] or entry[
            2
        ].split()
        paths |= {"/".join([*parents[:depth], called]) for called in names}
        parents = [*parents[:depth], names[0]]
    return paths
