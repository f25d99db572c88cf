"""Signing in on the command line, against a real control plane; and the places that somebody works at."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Shell

ENOUGH = 90.0
PASSWORD = "violet harbour sings at nine"  # noqa: S105 - opens nothing but these tests
OTHER = "quiet rivers turn slowly"
ANN = "ann@acme.example"


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A control plane in a process of its own: its address, and the link that it printed."""
    folder = tmp_path_factory.mktemp("plane")
    log = folder / "log"
    words = [sys.executable, "-m", "setpoint", "up", "--data", str(folder / "data"), "--port", "0"]
    with log.open("w") as out, subprocess.Popen(words, stdout=out, stderr=out) as process:  # noqa: S603
        until = time.monotonic() + ENOUGH
        while not (found := re.search(r"setpoint login '((http://[^/]+)/start#[^']+)'", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        yield found[2], found[1]
        process.terminate()
        process.wait(ENOUGH)


@pytest.fixture
def setpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A machine where nobody is signed in."""
    monkeypatch.chdir(tmp_path)
    return Shell({"HOME": str(tmp_path)})


@pytest.fixture(scope="module")
def ann(plane: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The first administrator, on a machine of her own."""
    shell = Shell({"HOME": str(tmp_path_factory.mktemp("ann"))})
    short, typed = "too short", f"{ANN}\nAnn\ntoo short\ntoo short\n{PASSWORD}\n{PASSWORD}\n"
    made = shell("login", plane[1], stdin=typed, terminal=True)
    assert made.code == 0, made.err
    assert "a password has 15 characters or more" in made.err
    assert made.out == f"signed in at {plane[0]} as {ANN}; context 127.0.0.1 is in use\n"
    assert (short in made.out + made.err, PASSWORD in made.out + made.err) == (False, False)
    return shell


def kept(shell: Shell) -> Path:
    return Path(shell.environment["HOME"]) / ".config" / "setpoint" / "contexts.json"


def test_a_link_sets_up_the_first_administrator_and_works_once(ann: Shell, plane: tuple[str, str]) -> None:
    assert ann("account", "list").out.splitlines()[-1].split()[:4] == [ANN, "active", "no", "yes"]
    again = ann("login", plane[1], stdin=f"{ANN}\nEve\n{OTHER}\n{OTHER}\n", terminal=True)
    assert (again.code, "was used before" in again.err) == (1, True)


def test_what_is_kept_is_for_its_owner_alone(ann: Shell) -> None:
    assert kept(ann).stat().st_mode & 0o777 == 0o600
    assert kept(ann).parent.stat().st_mode & 0o777 == 0o700
    assert "setpoint_ses_" in kept(ann).read_text()
    for words in (("contexts",), ("contexts", "-o", "json"), ("sessions",), ("sessions", "-o", "json")):
        assert "setpoint_ses_" not in ann(*words).out


def test_somebody_invited_comes_by_the_letter_and_signs_in_and_out(
    ann: Shell, setpoint: Shell, plane: tuple[str, str]
) -> None:
    assert "bob@acme.example is invited" in ann("account", "invite", "bob@acme.example").out
    link = re.search(r"http://\S+#\S+", ann("outbox").out)
    assert link is not None
    made = setpoint("login", link[0], stdin=f"Bob\n{PASSWORD}\n{PASSWORD}\n", terminal=True)
    assert made.code == 0, made.err
    assert "No letter waits" in ann("outbox").err
    assert setpoint("sessions").out.count("127.0.0.1") == 1
    assert setpoint("logout").code == 0
    refused = setpoint("sessions")
    assert (refused.code, "setpoint login" in refused.err) == (6, True)
    wrong = setpoint("login", "--email", "bob@acme.example", stdin="wrong\n", terminal=True)
    assert (wrong.code, "--forgot" in wrong.err) == (6, True)
    piped = setpoint("login", "--email", "bob@acme.example", "--password-stdin", stdin=f"{PASSWORD}\n")
    assert piped.code == 0, piped.err
    assert ann("account", "disable", "bob@acme.example").out.startswith("bob@acme.example is disabled")
    assert setpoint("sessions").code == 6


def test_a_second_factor_that_was_mistyped_changes_nothing(ann: Shell) -> None:
    begun = ann("account", "second-factor", stdin="000000\n", terminal=True)
    assert (begun.code, "is not the code of this moment" in begun.err) == (2, True)
    assert "key  " in begun.out
    assert ann("account", "second-factor", "--off").code == 1


def test_a_password_is_changed_by_typing_it_twice(ann: Shell) -> None:
    differ = ann("account", "password", stdin=f"{OTHER}\nsomething else\n", terminal=True)
    assert (differ.code, "two passwords" in differ.err) == (2, True)
    changed = ann("account", "password", stdin=f"{OTHER}\n{OTHER}\n", terminal=True)
    assert changed.out.startswith("your password is changed"), changed.err
    back = ann("account", "password", stdin=f"{PASSWORD}\n{PASSWORD}\n", terminal=True)
    assert back.code == 0


def test_nothing_is_asked_where_nobody_can_answer(setpoint: Shell, plane: tuple[str, str]) -> None:
    refused = setpoint("login", plane[0])
    assert (refused.code, "--password-stdin" in refused.err) == (2, True)


def test_whoever_forgot_hears_the_same_whether_there_is_an_account_or_not(
    setpoint: Shell, plane: tuple[str, str]
) -> None:
    answers = [
        setpoint("login", plane[0], "--forgot", email) for email in ("nobody@acme.example", "no@acme.example")
    ]
    assert {answer.code for answer in answers} == {0}
    assert len({answer.out for answer in answers}) == 1


def test_contexts_are_listed_chosen_changed_and_forgotten(setpoint: Shell) -> None:
    assert "setpoint login URL" in setpoint("contexts").err
    prod, lab = "https://setpoint.example", "http://127.0.0.1:7410"
    setpoint("contexts", "set", "prod", "--url", prod, "-O", "acme", "-p", "shop", "--token", "secret-1")
    setpoint("contexts", "set", "lab", "--url", lab)
    assert setpoint("contexts", "current").code == 1
    assert setpoint("contexts", "use", "prod").out == f"context prod is in use: {prod}\n"
    assert setpoint("contexts", "current").out == "prod\n"
    listed = json.loads(setpoint("contexts", "-o", "json").out)["items"]
    assert [(each["name"], each["current"], each["signed_in"]) for each in listed] == [
        ("lab", False, "none"),
        ("prod", True, "token"),
    ]
    assert "secret-1" not in setpoint("contexts").out
    moved = setpoint("contexts", "set", "prod", "--url", "https://elsewhere.example")
    assert moved.code == 0
    assert "secret-1" not in kept(setpoint).read_text()
    assert setpoint("contexts", "forget", "prod").code == 0
    assert setpoint("contexts", "current").code == 1
    near = setpoint("contexts", "use", "lba")
    assert (near.code, "did you mean lab?" in near.err) == (1, True)


def test_a_file_that_holds_no_contexts_is_said_to_be_so(setpoint: Shell) -> None:
    kept(setpoint).parent.mkdir(parents=True)
    kept(setpoint).write_text("{")
    refused = setpoint("contexts")
    assert (refused.code, "holds no contexts" in refused.err) == (2, True)
