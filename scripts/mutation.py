"""Mutation testing of what decides: every mutant of guards and approvals is killed, or listed with a reason.

`mutation.py` tries all of them, `--sample 20 --seed 7` a few, `--only TEXT` those whose name holds the text.
Each runs in a private copy of the tree. Not mutmut: its 3.8 does not run with pytest 9.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parent.parent
ENGINE = Path("src/setpoint/engine")
ALLOWED = Path(__file__).with_suffix(".allowed")
SECONDS = 900.0  # Each test has a limit of its own, which is what ends a mutant that never lets go.
TESTS = {
    "doubts/truth.py": "guards_doubted_items guards_newer guards_observer guards_intent guards_table needs",
    "doubts/damage.py": "guards_budget guards_damage guards_probation guards_table",
    "doubts/effort.py": "guards_brake guards_contested guards_slow guards_table",
    "guards.py": "needs guards_table guards_waves guards_slow guards_contested consent approval record",
    "consent.py": "consent approval",
    "approval.py": "approval consent",
    "remember.py": "guards_slow guards_waves guards_intent guards_probation guards_damage guards_observer",
}
"""The tests that should notice, the likeliest first; after these come the ones with real passes."""
PASSES = "guards_contested needs reconcile_guards consent fleet reconcile_plans reconcile"
WHOLE = ("tests/corpus", "tests/guarantees")
SLOW = ("test_g13_kill_switch.py", "test_g25_explain.py")
PYTEST = "-m pytest -x -q -p no:randomly -p no:cacheprovider --hypothesis-seed=0"
PAIRS = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitOr, ast.BitAnd)),
)
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
SHOWN = 70
CORES = min(2, os.cpu_count() or 1)
OPPOSITE = {"max": "min", "min": "max", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """One small change of one file."""

    path: str
    name: str  # file::function::before => after; the same wherever the lines move.
    source: str


def mutants(path: str) -> Iterator[Mutant]:
    """Every mutant of one file, in the order of its lines."""
    text = (ROOT / ENGINE / path).read_text()
    seen: Counter[str] = Counter()
    for function, node, changed in _changes(ast.parse(text)):
        before, after = ast.unparse(node), ast.unparse(changed)
        name = f"{path}::{function}::{_short(before)} => {_short(after)}"
        seen[name] += 1
        number = f" #{seen[name]}" if seen[name] > 1 else ""
        yield Mutant(path, name + number, _replaced(text, node, changed))


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """(function, node, what it becomes) for every place that can be changed."""
    for name, statement in _statements(tree, ""):
        value = statement.value if isinstance(statement, ast.Return) else None
        if value is not None and ast.unparse(value) != "None":
            yield name, value, ast.Constant(None)
        for node in _expressions(statement):
            yield from ((name, node, changed) for changed in _changed(node))


def _statements(parent: ast.AST, name: str) -> Iterator[tuple[str, ast.stmt]]:
    for child in ast.iter_child_nodes(parent):
        inner = f"{name}.{child.name}".strip(".") if hasattr(child, "name") else name
        if isinstance(child, ast.stmt) and not _is_docstring(child):
            yield inner, child
        yield from _statements(child, inner if isinstance(child, ast.stmt) else name)


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of this statement alone: not of those inside it, of its types, or of what it prints."""
    skipped, unread = (ast.stmt, ast.JoinedStr, ast.arguments), ("annotation", "returns", "decorator_list")
    waiting = [child for field, child in _fields(statement) if field not in unread]
    while waiting:
        node = waiting.pop(0)
        if not isinstance(node, skipped):
            waiting += [child for _, child in _fields(node)]
            if isinstance(node, ast.expr):
                yield node


def _fields(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child


def _changed(node: ast.expr) -> Iterator[ast.expr]:
    """What this expression may become."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=others):
            yield ast.Compare(left, [SWAPPED[type(op)]()], others)  # type: ignore[list-item]
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(SWAPPED[type(op)](), values)  # type: ignore[arg-type]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(op)](), right)  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=value) if isinstance(value, bool | int | float):
            yield from map(ast.Constant, [not value] if isinstance(value, bool) else [value + 1, value - 1])
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in OPPOSITE:
            yield ast.Call(ast.Name(OPPOSITE[name]), args, keywords)
        case _:
            yield from _rearranged(node)


def _rearranged(node: ast.expr) -> Iterator[ast.expr]:
    """A choice the other way round, or a comprehension without its filter."""
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
        parts = [ast.comprehension(part.target, part.iter, [], part.is_async) for part in node.generators]
        if any(part.ifs for part in node.generators):
            yield type(node)(**(dict(ast.iter_fields(node)) | {"generators": parts}))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _replaced(text: str, node: ast.expr, changed: ast.expr) -> str:
    starts = [0, *accumulate(len(line.encode()) for line in text.splitlines(keepends=True))]
    begin = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
    raw, new = text.encode(), ast.unparse(changed)
    new = new if isinstance(node, ast.GeneratorExp) else f"({new})"
    return (raw[:begin] + new.encode() + raw[end:]).decode()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else f"{flat[: SHOWN // 2]} … {flat[-SHOWN // 2 :]}"


def survives(mutant: Mutant, place: Path) -> bool:
    """Runs the tests on this mutant in that copy; whether none of them noticed."""
    target = place / ENGINE / mutant.path
    original = target.read_text()
    target.write_text(mutant.source)
    first, later = TESTS[mutant.path].split(), PASSES.split()
    try:
        # The likeliest alone first: collecting all the others takes longer than most mutants live.
        return passes(place, *map(_file, first)) and passes(place, *map(_file, later), *WHOLE)
    finally:
        target.write_text(original)


def _file(name: str) -> str:
    return f"tests/engine/test_{name}.py"


def passes(place: Path, *tests: str) -> bool:
    skipped = [f"--deselect=tests/guarantees/{name}" for name in SLOW]
    command = [sys.executable, *PYTEST.split(), *skipped, *tests]
    quiet = {"env": os.environ | {"PYTHONPATH": str(place / "src")}, "capture_output": True}
    try:
        done = subprocess.run(command, cwd=place, timeout=SECONDS, check=False, **quiet)  # noqa: S603 - ours
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def listed() -> dict[str, str]:
    """Mutants that cannot matter: name -> reason."""
    lines = ALLOWED.read_text().splitlines() if ALLOWED.exists() else []
    pairs = (line.partition(" ;; ") for line in lines if line and not line.startswith("#"))
    return {name: reason for name, _, reason in pairs}


def _tried(chosen: list[Mutant]) -> list[Mutant]:
    """The survivors, found with as many copies as there are cores."""
    places: SimpleQueue[Path] = SimpleQueue()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        for number in range(CORES):
            places.put(_copy(Path(folder) / str(number)))

        def one(mutant: Mutant) -> bool:
            place = places.get()
            alive = survives(mutant, place)
            places.put(place)
            say(f"{'alive ' if alive else 'killed'} {time.monotonic() - began:6.0f} s {mutant.name}")
            return alive

        with ThreadPoolExecutor(CORES) as pool:
            alive = list(pool.map(one, chosen))
    return [mutant for mutant, lives in zip(chosen, alive, strict=True) if lives]


def _copy(place: Path) -> Path:
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place)
    if not passes(place, "tests/engine/test_guards_table.py", "tests/corpus"):
        sys.exit("the tests fail without any mutant; there is nothing to find out")
    return place


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is what it is for


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    known = listed()
    every = [mutant for path in TESTS for mutant in mutants(path)]
    chosen = [mutant for mutant in every if asked.only in mutant.name]
    if asked.sample:
        pool = [mutant for mutant in chosen if mutant.name not in known]
        chosen = random.Random(asked.seed).sample(pool, min(asked.sample, len(pool)))  # noqa: S311
    alive = _tried(chosen)
    new = [mutant.name for mutant in alive if mutant.name not in known]
    stale = sorted(known.keys() - {mutant.name for mutant in every}) if not asked.only else []
    stale += [m.name for m in chosen if m.name in known and m not in alive]
    say(f"{len(every)} mutants, {len(chosen)} tried, {len(chosen) - len(alive)} killed")
    say(f"{len(alive)} alive, {len(alive) - len(new)} of them listed")
    for title, names in (("survived, and not listed", new), ("listed, and not needed any more", stale)):
        for name in names:
            say(f"{title}: {name}")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
