"""Which comparisons an invocation asks for, and what is said where none is named."""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from bench import __main__ as entry
from bench.__main__ import COMMANDS, main
from bench.command import Command, Measured
from bench.contest import Contest
from bench.converge import command as converge
from bench.cycle.command import CYCLE
from bench.diff import command as diff
from bench.idle import command as idle
from bench.measure import Figure, Goal, row_of
from bench.queue import command as queue
from bench.scaleout.command import SCALEOUT
from bench.store import command as store

Contests = Callable[[argparse.Namespace], Iterable[Contest]]
ASKED: dict[str, Contests] = {
    "diff": diff.contests,
    "queue": queue.contests,
    "store": store.contests,
    "converge": converge.contests,
    "idle": lambda wanted: [idle.contest(wanted.n)],
}


def asked(name: str, *arguments: str) -> list[Contest]:
    return list(ASKED[name](COMMANDS[name].parse(arguments)))


def sizes(name: str, *arguments: str) -> set[int]:
    return {who.size for contest in asked(name, *arguments) for who in contest.contestants}


@pytest.mark.parametrize(
    ("command", "goals"),
    [
        ("diff", ["P1", "P2", "P2", "P2", "P3", "P4"]),
        ("diff --peer octodns", ["P1"]),
        ("diff --peer deepdiff,jsonpatch", ["P2", "P2"]),
        ("diff --warm", ["P3"]),
        ("diff --events", ["P4"]),
        ("diff --warm --events", ["P3", "P4"]),
        ("queue", ["P5", "P6", "P8"]),
        ("queue --peer kopf", ["P6"]),
        ("queue --backlog", ["P8"]),
        ("idle", ["P7"]),
        ("store", ["P15", "P15"]),
        ("store --database sqlite", ["P15"]),
        ("converge", ["converge", "converge"]),
    ],
)
def test_nothing_named_is_everything(command: str, goals: list[str]) -> None:
    name, *arguments = command.split()
    assert [contest.title.split()[0] for contest in asked(name, *arguments)] == goals


def test_sizes_are_those_of_the_goals_unless_one_is_given() -> None:
    assert sizes("diff", "--peer", "octodns") == {100_000}
    assert sizes("diff", "--peer", "deepdiff") == {10_000}
    assert sizes("diff", "--events") == {10_000, 100_000, 1_000_000}
    assert sizes("diff", "--warm", "--n", "20000") == {200, 2_000, 20_000}
    assert sizes("queue", "--peer", "apscheduler") == {10_000}
    assert sizes("queue", "--backlog") == {1, 10_000, 100_000, 1_000_000}
    assert sizes("idle") == {100_000, 316_227, 1_000_000}
    assert sizes("converge", "--n", "7") == {7}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("diff --n 5000", "at least 10,000, not 5,000"),
        ("diff --peer polars", "polars: the peers are octodns"),
        ("queue --peer celery", "celery: the peers are apscheduler, kopf"),
        ("idle --n 10", "at least 10,000, not 10"),
        ("store --rounds 1", "at least 2, not 1"),
        ("cycle --qps 1", "at least 10, not 1"),
    ],
)
def test_a_mistake_is_said_with_what_was_expected(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = command.split()
    with pytest.raises(SystemExit) as ended:
        main([name, *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_teaches_how_it_is_called_and_judged(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert COMMANDS[name].about in " ".join(said.split())
    assert "Exit 0: all goals met" in said


def test_without_a_name_it_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(f"  {name:<10}{command.about}" in said for name, command in COMMANDS.items())


def test_an_unknown_name_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed"]) == 2
    assert "there is no comparison called speed" in capsys.readouterr().err


def counting(number: float) -> Command:
    def parse(arguments: Sequence[str]) -> argparse.Namespace:
        return argparse.Namespace(rounds=5, json=None)

    figure = Figure(f"counted {number:g}", number, "calls", Goal("<=", 1))
    return Command("counts", parse, lambda _: Measured((row_of(figure),), ("A note.",)))


def test_all_of_them_make_one_table_and_one_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(entry, "COMMANDS", {"one": counting(1), "two": counting(2)})
    assert main(["all", "--json", str(tmp_path / "rows")]) == 1
    assert "counted 1" in capsys.readouterr().out
    assert [row["met"] for row in json.loads((tmp_path / "rows").read_text())["rows"]] == [True, False]


def test_replicas_that_cannot_be_started_here_are_not_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def missing(*_: object) -> None:
        raise ImportError("No module named 'asyncpg'")

    monkeypatch.setattr("bench.scaleout.throughput.measured", missing)
    assert main(["scaleout"]) == 3
    assert "cannot judge: missing: No module named 'asyncpg'" in capsys.readouterr().out
    assert SCALEOUT.parse(["--replicas", "1,2"]).replicas == (1, 2)
    assert CYCLE.parse(["--qps", "50"]).qps == 50
