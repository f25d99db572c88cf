"""Words on the command line of a loop file: all mistakes at once, suggestions, help, formats."""

import json
from pathlib import Path

import pytest

from loop.commands import Folder
from setpoint.cli.changes import TIMES
from setpoint.loop.commands.command import VERBS, file_in
from setpoint.loop.commands.words import Flag, Form, said_in

ON = {"on": True}
SECRETS = {
    "api_token": "geheim-1",
    "database": {"user": "shop", "password": "geheim-2"},
    "list": {"tokens": ["geheim-3"]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.declare({"beta": ON})
    made.world({})
    return made


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["plan", "flags.py"], "flags.py"),
        (["run", "--enforce", "flags.py", "--once"], "flags.py"),
        (["run", "--page", "flags.py"], "flags.py"),
        (["audit", "verify", "dir/flags.py"], "dir/flags.py"),
        (["approve", "01h8", "--reason", "see flags.py"], ""),
        (["apply", "-f", "flags.py"], ""),
        (["plan", "--watch", "seen.py", "flags.py"], "flags.py"),
        (["get", "hosts"], ""),
    ],
)
def test_the_file_is_the_word_that_ends_in_py_and_is_no_flags_value(words: list[str], file: str) -> None:
    assert file_in(words) == file


def test_every_mistake_is_told_at_once_and_nothing_is_done(folder: Folder) -> None:
    ran = folder.said("pause", "flags.py", "Flgas", "--all", "--mode", "halt", "--resaon", "x", "-o", "xml")
    assert ran.code == 2
    for said in (
        "6 things are wrong; nothing was done",
        "pausing needs a reason",
        "there is no loop 'Flgas' in this file; did you mean Flags?",
        "name a loop or say --all, not both",
        "--mode is one of stop, observe, no-deletes, not 'halt'",
        "there is no flag --resaon; did you mean --reason?",
        "-o is one of table, json, not 'xml'",
    ):
        assert said in ran.err
    assert ran.err.splitlines()[-1] == "  next: setpoint pause flags.py --help"
    assert not folder.rows("switch")


def test_a_mistake_is_json_for_whoever_reads_json(folder: Folder) -> None:
    ran = folder.said("plan", "flags.py", "Nope", "-o", "json")
    assert (ran.code, ran.out) == (2, "")
    assert json.loads(ran.err)["code"] == "usage"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_teaches_with_an_example(folder: Folder, verb: str) -> None:
    ran = folder.said(verb, "flags.py", "--help")
    assert ran.code == 0
    assert f"usage: setpoint {verb} flags.py" in ran.out
    assert f"examples:\n  setpoint {verb} flags.py" in ran.out
    assert all(len(line) <= 120 for line in ran.out.splitlines())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "has no loop"),
        ("def broken(:\n", "SyntaxError"),
        ("import nothing_called_so\n", "ModuleNotFoundError"),
        (None, "does not exist"),
    ],
)
def test_a_file_that_is_no_loop_file_is_one_clear_error(folder: Folder, text: str | None, said: str) -> None:
    if text is not None:
        folder.write("other.py", text)
    ran = folder.said("plan", "other.py")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_verb_of_loop_files_without_a_file_says_so(folder: Folder) -> None:
    ran = folder.setpoint("run")
    assert ran.code == 2
    assert "say which loop file: its name ends in .py" in ran.err


def test_secrets_are_never_shown(folder: Folder) -> None:
    folder.declare(SECRETS)
    folder.world({"api_token": "geheim-4", "database": {"user": "shop", "password": "geheim-5"}})
    shown = folder.said("plan", "flags.py", "--full")
    assert "~ api_token value (hidden) (changed)" in shown.out
    assert "~ database password (hidden) (changed)" in shown.out
    assert "+ list tokens=(hidden)" in shown.out
    everything = [
        shown,
        folder.said("plan", "flags.py", "-o", "json"),
        folder.said("run", "flags.py", "--once", "-o", "json"),
        folder.said("run", "flags.py", "--enforce", "--once"),
        folder.said("why", "flags.py", "api_token"),
        folder.said("why", "flags.py", "-o", "json"),
        folder.said("replay", "flags.py", "-o", "json"),
    ]
    assert not [ran for ran in everything if "geheim" in ran.out + ran.err]
    assert folder.there == SECRETS


@pytest.mark.parametrize("columns", [80, 120])
def test_lines_end_where_the_screen_does_except_commands(folder: Folder, columns: int) -> None:
    folder.declare({f"a-rather-long-name-of-a-flag-{number:03}": {"on": number % 7} for number in range(60)})
    folder.world({f"b-{number}": ON for number in range(30)})
    for words in (("plan", "flags.py"), ("run", "flags.py", "--once"), ("why", "flags.py")):
        ran = folder.said(*words, COLUMNS=str(columns))
        assert [line for line in ran.out.splitlines() if len(line) > columns and "next: " not in line] == []


def test_colours_only_where_they_are_wanted(folder: Folder) -> None:
    assert "\x1b[" not in folder.said("plan", "flags.py").out
    assert "\x1b[" in folder.said("plan", "flags.py", CLICOLOR_FORCE="1").out
    assert "\x1b[" not in folder.said("plan", "flags.py", CLICOLOR_FORCE="1", NO_COLOR="1").out


def test_a_thousand_equal_changes_are_one_line(folder: Folder) -> None:
    folder.declare({f"flag-{number}": ON for number in range(1000)})
    folder.world({f"flag-{number}": {"on": False} for number in range(1000)})
    out = folder.said("plan", "flags.py").out.splitlines()
    assert out[1] == f"  ~ 1,000 {TIMES} on false → true  (flag-0 … flag-999)"
    assert len(out) < 10
    assert len(folder.said("plan", "flags.py", "--full").out.splitlines()) > 1000


def test_a_flag_without_its_value_and_one_that_may_go_without() -> None:
    form = Form("", "", (Flag("--reason", "", "WHY"), Flag("--page", "", "PORT", bare="0")))
    assert said_in(["--reason"], form)[1] == ["--reason needs a value: WHY"]
    assert said_in(["--page", "word"], form)[0].value("page") == "0"
    assert said_in(["--page", "word"], form)[0].words == ("word",)
    assert said_in(["--page", "8080", "word"], form)[0].value("page") == "8080"
