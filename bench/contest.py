"""Contestants side by side: a process for each, rounds in turn, and no timing of a wrong answer."""

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, cast

from bench.measure import Question, Row, answer
from bench.trial import Counts

ROOT: Final = Path(__file__).parent.parent
ROUNDS: Final = 5
PATIENCE: Final = 15.0
RULES: Final = (
    f"CPU time, each contestant in a process of its own, {ROUNDS} rounds in turn from cold caches, medians.\n"
    "An answer is checked before its time counts. Exit 0: all goals met, 1: one is missed, 3: cannot judge."
)


@dataclass(frozen=True, slots=True)
class Contestant:
    """Who takes part: the `module:function` that makes its trial, at which size, and the right answer."""

    name: str
    trial: str
    size: int
    right: Counts


@dataclass(frozen=True, slots=True)
class Contest:
    """Who runs in turn, and what is asked of their costs. `limits` are costs that are given, not measured."""

    title: str
    contestants: tuple[Contestant, ...]
    questions: tuple[Question, ...]
    limits: Mapping[str, float] = field(default_factory=dict)
    note: str = ""  # What a reader of the ratio must know.


class Absent(Exception):
    """A contestant that cannot take part, or whose answer is wrong."""


def hold(contest: Contest, rounds: int = ROUNDS) -> list[Row]:
    """All rounds, A B C A B C, then a row for each question."""
    costs = {name: [limit] * rounds for name, limit in contest.limits.items()}
    missing: dict[str, str] = {}
    with ExitStack() as stack:
        workers = {each.name: Worker(each) for each in contest.contestants}
        for worker in workers.values():
            stack.callback(worker.end)
        for turn in range(rounds + 1):
            for name, worker in workers.items():
                if name in missing:
                    continue
                try:
                    if turn == 0:
                        worker.get_ready()
                    else:
                        for cost, seconds in zip((name, wall(name)), worker.run(), strict=True):
                            costs.setdefault(cost, []).append(seconds)
                except Absent as error:
                    missing[name] = missing[wall(name)] = str(error)
    known = {name: each for name, each in costs.items() if name not in missing}
    return [answer(question, known, missing) for question in contest.questions]


def wall(name: str) -> str:
    """How a question names a contestant's seconds on the wall: right where something else is waited for."""
    return f"{name}, wall"


class Worker:
    """One contestant's process."""

    def __init__(self, contestant: Contestant) -> None:
        self._right = contestant.right
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
            [interpreter(), "-m", "bench.worker", contestant.trial, str(contestant.size)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def get_ready(self) -> None:
        """Waits until it has prepared itself and has answered right once."""
        self._heard()

    def run(self) -> tuple[float, float]:
        """CPU seconds of one round, and those on the wall."""
        told = cast(IO[str], self._process.stdin)
        told.write("round\n")
        told.flush()
        said = self._heard()
        return float(said["cost"]), float(said["wall"])

    def end(self) -> None:
        """No more rounds; it puts away what it started."""
        try:
            self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def _heard(self) -> dict[str, Any]:
        line = cast(IO[str], self._process.stdout).readline()
        if not line:
            raise Absent(f"ended early, with exit status {self._process.wait()}")
        said: dict[str, Any] = json.loads(line)
        if "missing" in said:
            raise Absent(said["missing"])
        if said["counts"] != self._right:
            raise Absent(f"wrong: answered {said['counts']}, right is {self._right}")
        return said


def interpreter() -> str:
    """The one all contestants share: that of the peers' environment where there is one."""
    peers = ROOT / ".bench" / "bin" / "python"
    return str(peers) if peers.exists() else sys.executable
