"""What to do next: every situation has an answer, and a command that is printed works when it is pasted."""

import re
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


def held(folder: Folder, limits: str = QUICK) -> None:
    folder.world(MANY)
    folder.declare(MANY, QUICK)
    for _ in range(3):
        assert folder.said(*RUN).code == Exit.DONE
    folder.declare({"flag-0": ON}, limits)
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


def test_every_command_works_while_the_approved_part_of_a_plan_waits_for_probation(folder: Folder) -> None:
    slowly = "probation_gap = 3600"
    held(folder, slowly)
    chosen = [f"flag-{number}" for number in (1, 2, 3)]
    only = [word for item in chosen for word in ("--only", item)]
    approved = folder.said("approve", "flags.py", "--reason", "retired", "--yes", *only)
    assert approved.code == Exit.DONE
    assert re.match(r"3 of 5 items of plan \w+ for Flags are approved by ", approved.out)
    ran, plan = folder.said(*RUN), folder.said("plan", "flags.py")
    assert (ran.code, plan.code) == (Exit.PENDING, Exit.PENDING)
    assert plan.out.splitlines()[-1] == "Flags: - 5 delete  3 approved, 2 left out"
    assert "Flags: ~ PENDING approved: 3 to delete; on probation" in ran.out
    assert "left out, and asked about when that is done: flag-4, flag-5" in ran.out
    for told in (
        ran,
        plan,
        approved,
        folder.said("why", "flags.py"),
        folder.said("why", "flags.py", "flag-4"),
    ):
        found = commands(told.out + told.err)
        assert [words[:3] for words in found] == [["run", "flags.py", "--enforce"]]
        assert folder.said(*found[0][:3], "--once").code == Exit.PENDING
    assert folder.there.keys() == MANY.keys()

    folder.declare({"flag-0": ON}, QUICK)
    assert folder.said(*RUN).code == Exit.PENDING
    folder.remember_longer()  # Until then the stricter limit of before counts for deletes.
    after = next(ran for _ in range(5) if (ran := folder.said(*RUN)).code != Exit.PENDING)
    assert (after.code, sorted(folder.there)) == (Exit.HELD, ["flag-0", "flag-4", "flag-5"])
    found = {words[0]: words for words in commands(after.out)}
    assert folder.said(*found["approve"], "--yes").code == Exit.DONE
    assert folder.said(*RUN).code == Exit.DONE
    assert folder.there == {"flag-0": ON}


def test_a_protected_key_asks_for_a_person_while_the_approved_part_waits(folder: Folder) -> None:
    held(folder, "probation_gap = 3600")
    folder.said("approve", "flags.py", "--reason", "retired", "--yes", "--only", "flag-1")
    folder.said("protect", "flags.py", "flag-2", "--reason", "kept")
    assert folder.said(*RUN).code == Exit.HELD  # Of a protected key a person decides at any time.
    assert "flag-1 is to be deleted, but on probation" in folder.said("why", "flags.py", "flag-1").out
    assert "left out when the rest was approved" in folder.said("why", "flags.py", "flag-4").out


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
