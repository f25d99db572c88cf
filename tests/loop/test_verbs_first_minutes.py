"""The README's loop of twenty lines, through its first minutes, as real processes."""

from pathlib import Path

import pytest

from loop.commands import FLAGS, QUICK, Folder
from setpoint.cli.changes import TIMES

ON, OFF = {"on": True}, {"on": False}
WANTED = {"dark-mode": ON, "beta": OFF, "eu-only": ON}
MANY = {f"flag-{number:02}": ON for number in range(40)}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def converged(folder: Folder, flags: dict[str, dict[str, bool]]) -> None:
    """Everything wanted is there, and enough complete looks were made."""
    folder.declare(flags, QUICK)
    folder.world(flags)
    for _ in range(3):
        assert folder.said("run", "flags.py", "--enforce", "--once").code == 0
    folder.remember_longer()


def test_the_loop_has_at_most_twenty_lines() -> None:
    assert len([line for line in FLAGS.splitlines() if line.strip()]) <= 20


def test_a_plan_exits_3_names_the_delete_and_changes_nothing(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({"old": ON})
    ran = folder.setpoint("plan", "flags.py")
    assert ran.code == 3
    assert ran.out.index("- old") < ran.out.index(f"+ 3 {TIMES} (beta, dark-mode, eu-only)")  # deletes on top
    assert "a delete needs probation: 2 complete looks first, 5 s apart or more" in ran.out
    assert ran.out.splitlines()[-1] == "Flags: + 3 create  - 1 delete (old)"
    assert folder.there == {"old": ON}
    assert not (folder.path / ".setpoint").exists()


def test_one_run_converges_and_the_next_is_in_step(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({})
    ran = folder.setpoint("run", "flags.py", "--enforce", "--once")
    assert (ran.code, folder.there) == (0, WANTED)
    assert folder.setpoint("plan", "flags.py").code == 0
    assert "= READY 3 in step" in folder.setpoint("run", "flags.py", "--enforce", "--once").out


def test_a_run_without_enforce_changes_nothing_and_says_how_to(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({"old": ON})
    ran = folder.setpoint("run", "flags.py", "--once")
    assert (ran.code, folder.there) == (3, {"old": ON})
    assert "observing only: nothing is changed\n  next: setpoint run flags.py --enforce\n" in ran.err


def test_drift_is_put_back(folder: Folder) -> None:
    converged(folder, WANTED)
    folder.world(WANTED | {"beta": ON})
    assert folder.setpoint("plan", "flags.py").out.splitlines()[1] == "  ~ beta on true → false"
    assert folder.setpoint("run", "flags.py", "--enforce", "--once").code == 0
    assert folder.there == WANTED


def test_dropping_one_of_many_deletes_exactly_it(folder: Folder) -> None:
    converged(folder, MANY)
    fewer = {key: value for key, value in MANY.items() if key != "flag-17"}
    folder.declare(fewer, QUICK)
    codes = [folder.setpoint("run", "flags.py", "--enforce", "--once").code for _ in range(3)]
    assert codes[-1] == 0
    assert folder.there == fewer
    assert [act["item"] for act in folder.rows("act") if act["verb"] == "delete"] == ["flag-17"]


def test_the_first_delete_comes_with_the_third_run_five_seconds_apart(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({"old": ON})
    seen = []
    for pause in (0.0, 5.0, 5.0):
        folder.python("-c", f"import time; time.sleep({pause})")
        code = folder.setpoint("run", "flags.py", "--enforce", "--once").code
        seen.append((code, "old" in folder.there))
    assert seen == [(3, True), (3, True), (0, False)]


def test_an_empty_intent_is_held_with_the_next_commands(folder: Folder) -> None:
    converged(folder, WANTED)
    folder.declare({}, QUICK)
    ran = folder.setpoint("run", "flags.py", "--enforce", "--once")
    assert (ran.code, folder.there) == (4, WANTED)
    (held,) = [plan for plan in folder.rows("plan") if plan["state"] == "held"]
    assert "nothing is declared while 3 exist; that would delete all 3" in ran.out
    assert f"next: setpoint reject flags.py {held['id']} --reason WHY" in ran.out
    assert f"next: setpoint approve flags.py {held['id']} --reason WHY" in ran.out
    assert folder.setpoint("plan", "flags.py").code == 4


def test_the_file_runs_itself_with_the_same_verbs(folder: Folder) -> None:
    folder.declare(WANTED)
    folder.world({})
    plan = folder.python("flags.py", "plan")
    assert (plan.code, plan.out) == (3, folder.setpoint("plan", "flags.py").out)
    assert "next: python flags.py run --enforce --once" in plan.err
    assert folder.python("flags.py", "run", "--enforce", "--once").code == 0
    assert folder.there == WANTED
