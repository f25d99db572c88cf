"""The shape of the source: sizes, names, docstrings; who may use clocks, chance, ids and the environment."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "setpoint"
BUILT = SOURCE / "console"  # built assets: not ours to measure

LINES_PER_FILE = 500
LINES_PER_FUNCTION = 40

SAYS_NOTHING = {"base", "common", "core", "helper", "helpers", "manager", "managers", "util", "utils"}

UNREPEATABLE = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "os.getrandom",
    "os.urandom",
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "time.process_time",
    "time.process_time_ns",
    "time.time",
    "time.time_ns",
}
UNREPEATABLE_MODULES = ("random.", "secrets.", "uuid.")
ENVIRONMENT = {"os.environ", "os.environb", "os.getenv", "os.getenvb"}

MAY_BE_UNREPEATABLE = {"system.py"}
MAY_READ_ENVIRONMENT = {"__main__.py", "agent/__main__.py", "loop/serve.py"} | {
    "loop/notify.py"  # Hands it on to the command it runs, with what there is to tell.
}


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {name(path): lines_of(path) for path in files()}
    assert {path: lines for path, lines in lengths.items() if lines > LINES_PER_FILE} == {}


def test_no_function_is_longer_than_40_lines() -> None:
    lengths = {
        f"{name(path)}:{called}": lines for path in modules() for called, lines in functions(tree_of(path))
    }
    assert {function: lines for function, lines in lengths.items() if lines > LINES_PER_FUNCTION} == {}


def test_every_name_says_what_is_inside() -> None:
    paths = {name(path): {part.split(".")[0] for part in path.relative_to(SOURCE).parts} for path in files()}
    assert [path for path, parts in paths.items() if parts & SAYS_NOTHING] == []


def test_every_module_says_its_job_first() -> None:
    assert [name(path) for path in modules() if not ast.get_docstring(tree_of(path))] == []


def test_only_the_system_has_a_clock_chance_and_ids() -> None:
    found = {
        name(path): unrepeatable(tree_of(path)) for path in modules() if name(path) not in MAY_BE_UNREPEATABLE
    }
    assert {path: uses for path, uses in found.items() if uses} == {}


def test_only_the_entry_points_read_the_environment() -> None:
    found = {
        name(path): environment(tree_of(path)) for path in modules() if name(path) not in MAY_READ_ENVIRONMENT
    }
    assert {path: uses for path, uses in found.items() if uses} == {}


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("import time\ntime.time()", ["2: time.time"]),
        ("import time as clock\nstarted = clock.monotonic", ["2: time.monotonic"]),
        ("from time import monotonic as tick\ntick()", ["2: time.monotonic"]),
        (
            "def now():\n    from datetime import UTC, datetime\n    return datetime.now(UTC)",
            ["3: datetime.datetime.now"],
        ),
        ("import datetime\ndatetime.datetime.utcnow()", ["2: datetime.datetime.utcnow"]),
        ("import os\nos.urandom(8)", ["2: os.urandom"]),
        ("from uuid import uuid4\nuuid4().hex", ["2: uuid.uuid4"]),
        ("import secrets\nsecrets.token_hex()", ["2: secrets.token_hex"]),
        ("import random\nrandom.choice('ab')", ["2: random.choice"]),
        ("import random\nrandom.Random().random()", ["2: random.Random()"]),
        ("import random\nrandom.SystemRandom(7)", ["2: random.SystemRandom"]),
        ("from random import *", ["1: random.*"]),
        ("import random\nrandom.Random(7).random()", []),
        ("from random import Random\ndef pick(chance: Random): return Random(x=7).choice('ab')", []),
        ("from datetime import datetime\ndatetime.fromisoformat(text)", []),
        ("import time\ntime.sleep(1)", []),
        ("def passed(time): return time.time", []),
    ],
)
def test_what_cannot_be_repeated_is_recognised(source: str, uses: list[str]) -> None:
    assert unrepeatable(ast.parse(source)) == uses


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("import os\nos.environ['A']", ["2: os.environ"]),
        ("import os\nos.getenv('A')", ["2: os.getenv"]),
        ("from os import environ as settings\nsettings.get('A')", ["2: os.environ"]),
        ("import os\nos.getpid()", []),
    ],
)
def test_reading_the_environment_is_recognised(source: str, uses: list[str]) -> None:
    assert environment(ast.parse(source)) == uses


def unrepeatable(tree: ast.Module) -> list[str]:
    """Each use of a clock, of chance or of fresh ids, with its line. `random.Random(seed)` is repeatable."""
    unseeded = {
        call.func
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and not (call.args or call.keywords)
    }
    found = []
    for node, used in uses_of_imports(tree):
        if used == "random.Random":
            found += [f"{node.lineno}: random.Random()"] if node in unseeded else []
        elif used in UNREPEATABLE or used.startswith(UNREPEATABLE_MODULES):
            found.append(f"{node.lineno}: {used}")
    return found


def environment(tree: ast.Module) -> list[str]:
    """Each read of an environment variable, with its line."""
    return [f"{node.lineno}: {used}" for node, used in uses_of_imports(tree) if used in ENVIRONMENT]


def uses_of_imports(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.alias, str]]:
    """Every name that leads to something imported, by its full dotted name, whatever it is called here."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known |= {
                n.asname or n.name.split(".")[0]: n.name if n.asname else n.name.split(".")[0]
                for n in node.names
            }
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            known |= {n.asname or n.name: f"{node.module}.{n.name}" for n in node.names}
            yield from ((n, f"{node.module}.*") for n in node.names if n.name == "*")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and (used := dotted(node, known)):
            yield node, used


def dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    match node:
        case ast.Name(id=called):
            return known.get(called)
        case ast.Attribute(value=value, attr=attribute):
            owner = dotted(value, known)
            return owner and f"{owner}.{attribute}"
        case _:
            return None


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def files() -> list[Path]:
    everything = sorted(
        path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return [path for path in everything if not path.is_relative_to(BUILT)]


def modules() -> list[Path]:
    return [path for path in files() if path.suffix == ".py"]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def lines_of(path: Path) -> int:
    return len(path.read_bytes().splitlines())


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()
