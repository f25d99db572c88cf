"""What to do next: every situation has an answer, and a command that is printed works when it is pasted."""

import shlex
from pathlib import Path

import pytest

from loop.commands import QUICK, Folder
from setpoint.cli.exits import Exit

ON = {"on": True}
MANY = {f"flag-{number}": ON for number in range(6)}
RUN = ("run", "flags.py", "--enforce", "--once")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def held(folder: Folder) -> None:
    folder.world(MANY)
    folder.declare(MANY, QUICK)
    for _ in range(3):
        assert folder.said(*RUN).code == Exit.DONE
    folder.declare({"flag-0": ON}, QUICK)
    assert folder.said(*RUN).code == Exit.HELD


def commands(text: str) -> list[list[str]]:
    """What follows `next:`, without the word that names the program."""
    lines = [line.strip() for line in text.splitlines()]
    return [shlex.split(line.removeprefix("next: "))[1:] for line in lines if line.startswith("next: ")]


def test_every_command_that_a_held_plan_leads_to_works_when_it_is_pasted(folder: Folder) -> None:
    held(folder)
    for text in (folder.said("why", "flags.py").out, folder.said("plan", "flags.py").out):
        found = {words[0]: words for words in commands(text)}
        assert found.keys() >= {"approve", "reject"}
        assert all("--reason" in found[verb] for verb in ("approve", "reject"))
        if "plan" in found:
            assert folder.said(*found["plan"]).code == Exit.HELD
    assert folder.said(*found["approve"], "--yes").code == Exit.DONE


def test_after_a_rejection_it_is_said_what_to_do(folder: Folder) -> None:
    held(folder)
    assert folder.said("reject", "flags.py", "--reason", "a mistake", "--yes").code == Exit.DONE
    assert folder.said(*RUN).code == Exit.HELD
    for told in (folder.said("why", "flags.py").out, folder.said(*RUN).out):
        assert "rejected" in told
        assert "until" in told
        (words,) = commands(told)
        assert words[0] == "plan"
        assert folder.said(*words).code == Exit.HELD


def test_why_of_a_running_loop_does_not_tell_to_run_it(folder: Folder) -> None:
    folder.world({})
    folder.declare(MANY, QUICK)
    assert commands(folder.said("why", "flags.py").out) == [["run", "flags.py", "--enforce"]]
    folder.write(
        "flags.py", (folder.path / "flags.py").read_text().replace("FILE.read_text()", "FILE.nothing()")
    )
    with folder.running("flags.py", "--enforce") as run:
        run.until(lambda: "nothing" in run.said)
        told = folder.said("why", "flags.py", "-o", "json").body
        assert told["next"] == []
        assert f"run by pid {run.process.pid}: it goes on by itself" in told["chain"]


def test_why_explains_a_declared_key_that_no_pass_has_seen(folder: Folder) -> None:
    folder.world({})
    folder.declare({"new-one": ON})
    said = folder.said("why", "flags.py", "new-one")
    assert said.code == Exit.DONE
    assert said.out.startswith("new-one is declared, and no pass has seen it yet\n")
    assert "wanted: on=true" in said.out
    assert commands(said.out) == [["run", "flags.py", "--enforce"]]
    assert folder.said("why", "flags.py", "nothing-like-it").code == Exit.USAGE


def test_where_observing_is_in_doubt_the_declaration_is_not_blamed(folder: Folder) -> None:
    folder.world(MANY)
    folder.declare(MANY, QUICK)
    assert folder.said(*RUN).code == Exit.DONE
    folder.world({"flag-0": ON})
    ran = folder.said(*RUN)
    assert ran.code == Exit.HELD
    assert "mass_silence" in ran.out
    assert "observe() is in doubt" in ran.out
    assert "correct what is declared" not in ran.out


def test_a_line_about_a_pass_says_what_is_left_after_its_acts(folder: Folder) -> None:
    wanted = {f"flag-{number}": ON for number in range(40)}
    folder.world({})
    folder.declare(wanted, QUICK)
    lines = [line.split()[2:] for line in folder.said(*RUN).err.splitlines() if "  Flags  " in line]
    left, told = len(wanted), []
    for word, *rest in lines:
        left -= word == "done"
        if word == "PENDING" and rest[1:] == ["to", "create"]:
            told.append((int(rest[0]), left))
    assert len(told) > 1
    assert all(said == true for said, true in told)
    assert lines[-2][:1] == ["PENDING"]
    assert "all of it is done" in " ".join(lines[-2])
