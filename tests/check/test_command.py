"""The command: aligned lines, cures below, all problems at once, no secrets, exit codes."""

import asyncio
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from check.sites import site
from setpoint.check import command
from setpoint.check.finding import Finding, Level, masked, without
from setpoint.cli.screen import Screen

FOUND = [
    Finding("python", Level.OK, "3.11.7"),
    Finding("file system", Level.WARN, "tmpfs: in memory, gone after a restart", "--data DIR on a disk"),
    Finding(
        "port", Level.FAIL, "cannot listen on 127.0.0.1:7410: " + "in use " * 12, "--port N " + "or more " * 9
    ),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen(columns: int | None = None, *, terminal: bool = False, output: str = "table") -> Screen:
    stream = Terminal() if terminal else io.StringIO()
    environment = {"COLUMNS": str(columns)} if columns else {}
    return Screen(io.StringIO(), stream, io.StringIO(), environment, output)


def shown(on: Screen) -> str:
    assert isinstance(on.stdout, io.StringIO)
    return on.stdout.getvalue()


def test_lines_are_aligned_and_cures_stand_below() -> None:
    assert command.lines(FOUND[:2], screen()) == [
        "ok    python       3.11.7",
        "warn  file system  tmpfs: in memory, gone after a restart",
        "                   cure: --data DIR on a disk",
        "1 ok, 1 warn",
    ]


@pytest.mark.parametrize("columns", [80, 120])
def test_nothing_is_wider_than_the_screen(columns: int) -> None:
    told = command.lines(FOUND, screen(columns))
    assert max(map(len, told)) <= columns
    assert all(line.startswith((" " * 19, "ok ", "warn ", "FAIL ", "1 ok")) for line in told)


def test_colours_are_for_terminals_only() -> None:
    plain, coloured = screen(), screen(terminal=True)
    assert command.report(FOUND, plain) == command.report(FOUND, coloured) == 1
    assert "\x1b" not in shown(plain)
    assert "\x1b[31mFAIL\x1b[0m  port" in shown(coloured)
    assert "\x1b[33mwarn\x1b[0m  file system" in shown(coloured)


def test_a_warning_is_no_failure() -> None:
    assert command.report(FOUND[:2], screen()) == 0


def test_json_has_the_same_words() -> None:
    on = screen(output="json")
    assert command.report(FOUND, on) == 1
    told = json.loads(shown(on))
    assert told["failed"] == 1
    assert told["items"][1] == {
        "name": "file system",
        "level": "warn",
        "said": "tmpfs: in memory, gone after a restart",
        "cure": "--data DIR on a disk",
    }


async def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> Finding:
        raise ZeroDivisionError("by postgresql://u:hunter2@x/y")

    async def hangs(_: object) -> Finding:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(command, "SECONDS", 0.05)
    monkeypatch.setattr(command, "HERE", (command.Check("a", broken), command.Check("b", hangs)))
    monkeypatch.setattr(command, "BEFORE", (command.Check("c", lambda _: FOUND[0]),))
    found = await command.findings(site(tmp_path, database="postgresql://u:hunter2@x/y"), pre=True)
    assert [(each.name, each.level, each.said) for each in found] == [
        ("a", Level.FAIL, "cannot be checked: by postgresql://u:***@x/y"),
        ("b", Level.FAIL, "no answer within 0.05 s"),
        ("python", Level.OK, "3.11.7"),
    ]


async def test_a_file_on_the_way_to_the_folder_is_told_and_whatever_is_wrong_has_a_cure(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    found = await command.findings(site(tmp_path / "file" / "data", port=0), pre=True)
    failed = [each.name for each in found if each.level is Level.FAIL]
    assert "data folder" in failed
    assert all(each.cure for each in found if each.level is not Level.OK)
    assert all(not each.cure for each in found if each.level is Level.OK)


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("postgresql://u:p%40ss@db:5432/x", "postgresql://u:***@db:5432/x"),
        ("postgresql://u@db/x", "postgresql://u@db/x"),
        ("postgresql://db/x?password=hunter2&host=/tmp", "postgresql://db/x?password=***&host=/tmp"),
        ("redis://:hunter2@cache/0", "redis://:***@cache/0"),
        ("postgresql://u:p@ss@db/x", "postgresql://u:***@db/x"),
        ("", ""),
    ],
)
def test_a_password_is_never_shown(url: str, safe: str) -> None:
    assert masked(url) == safe
    assert without(f"cannot reach {url}", url) == f"cannot reach {safe}"


def test_words_of_others_lose_the_password_too() -> None:
    url = "postgresql://u:p%40ss@db/x"
    assert without("tried p@ss and p%40ss", url) == "tried *** and ***"


def test_settings_that_are_wrong_are_all_told(tmp_path: Path) -> None:
    ran = check("--pre", SETPOINT_PORT="99999", SETPOINT_CALL_SECONDS="60")
    assert ran.returncode == 1
    assert [line.split()[:2] for line in ran.stdout.splitlines() if line.startswith("FAIL")] == [
        ["FAIL", "settings"],
        ["FAIL", "settings"],
    ]
    assert "cure: correct SETPOINT_PORT, or unset it" in ran.stdout


def test_the_command_before_the_first_start(tmp_path: Path) -> None:
    ran = check("--pre", "--data", str(tmp_path / "data"), "--port", "0")
    assert (ran.returncode, ran.stderr) == (0, "")
    names = {line[6:19].strip() for line in ran.stdout.splitlines() if line.startswith("ok ")}
    assert {"python", "data folder", "disk", "sqlite", "schema", "port"} <= names
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_flag_is_a_mistake_of_usage() -> None:
    assert check("--no-such-flag").returncode == 2


def check(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "setpoint", "check", *arguments],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
