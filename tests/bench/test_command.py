"""Which comparisons an invocation asks for, and what is said where none is named."""

import pytest

from bench.__main__ import main
from bench.diff.command import contests, parse


def titles(*arguments: str) -> list[str]:
    return [contest.title.split(",")[0] for contest in contests(parse(arguments))]


def sizes(*arguments: str) -> set[int]:
    return {who.size for contest in contests(parse(arguments)) for who in contest.contestants}


@pytest.mark.parametrize(
    ("arguments", "goals"),
    [
        ([], ["P1", "P2", "P2", "P2", "P3", "P4"]),
        (["--peer", "octodns"], ["P1"]),
        (["--peer", "deepdiff,jsonpatch"], ["P2", "P2"]),
        (["--warm"], ["P3"]),
        (["--events"], ["P4"]),
        (["--warm", "--events"], ["P3", "P4"]),
    ],
)
def test_nothing_named_is_everything(arguments: list[str], goals: list[str]) -> None:
    assert [title[:2] for title in titles(*arguments)] == goals


def test_sizes_are_those_of_the_goals_unless_one_is_given() -> None:
    assert sizes("--peer", "octodns") == {100_000}
    assert sizes("--peer", "deepdiff") == {10_000}
    assert sizes("--events") == {10_000, 100_000, 1_000_000}
    assert sizes("--warm", "--n", "20000") == {200, 2_000, 20_000}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--n", "5000"], "at least 10,000, not 5,000"),
        (["--peer", "polars"], "polars: the peers are octodns"),
    ],
)
def test_a_mistake_is_said_with_what_was_expected(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_without_a_name_it_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "  diff    plans:" in capsys.readouterr().out


def test_an_unknown_name_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed"]) == 2
    assert "there is no comparison called speed" in capsys.readouterr().err
