"""`setpoint secret`: asked for or read, never an argument, never shown; and keys change beside it."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Shell
from .planes import Plane, plane

VALUE = "a-token-nobody-must-see"
PROVIDER = "family: hetzner_cloud, credential: 'secret://hetzner', endpoint: 'http://127.0.0.1:9/v1'"
ACME = f"organizations: {{acme: {{providers: {{hetzner: {{{PROVIDER}}}}}}}}}"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    with plane(tmp_path_factory.mktemp("here")) as found:
        found.setpoint("apply", "-f", "-", "--yes", "--no-wait", stdin=ACME)
        found.setpoint.environment["SETPOINT_ORGANIZATION"] = "acme"
        yield found


@pytest.fixture
def setpoint(here: Plane) -> Shell:
    return here.setpoint


def test_a_secret_goes_through_its_life(here: Plane) -> None:
    here.setpoint("apply", "-f", "-", "--yes", "--no-wait", stdin=ACME.replace("acme", "life"))
    setpoint = Shell({**here.setpoint.environment, "SETPOINT_ORGANIZATION": "life"})
    assert setpoint("secret", "list").err.startswith("No secret is kept for life.")
    made = setpoint("secret", "set", "hetzner", stdin=f"{VALUE}\n")
    assert (made.code, made.out.startswith("secret://hetzner is at version 1 (")) == (0, True), made.err
    listed = setpoint("secret", "list")
    assert [
        word
        for word in ("hetzner", "administrator", "provider hetzner (not seen yet)")
        if word not in listed.out
    ] == []
    next_one = setpoint("secret", "rotate", "hetzner", stdin="next")
    assert "version 1 stays good" in next_one.err
    early = setpoint("secret", "retire", "hetzner")
    assert (early.code, "was not yet seen to work for provider hetzner" in early.err) == (1, True)
    used = setpoint("secret", "delete", "hetzner")
    assert (used.code, "named by provider hetzner" in used.err) == (1, True)
    setpoint("secret", "set", "spare", stdin="x")
    assert setpoint("secret", "retire", "spare").out == "only version 1 of spare is good now\n"
    assert setpoint("secret", "delete", "spare").out == "secret spare is gone\n"
    shown = [
        json.loads(setpoint("secret", "list", "-o", "json").out)["items"][0][key]
        for key in ("name", "version")
    ]
    assert shown == ["hetzner", 2]


def test_a_secret_is_never_an_argument_and_is_not_said_back(setpoint: Shell) -> None:
    for words in (("set", "hetzner", VALUE), ("set", "hetzner", "--keep-previous", VALUE, "more")):
        refused = setpoint("secret", *words)
        assert (refused.code, VALUE in refused.err + refused.out) == (2, False)
        assert "never written on the command line" in refused.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("secret", "sett", "x"), "did you mean set?"),
        (("secret", "set"), "say which secret"),
        (("secret", "set", "Bad"), "that is no name of a secret"),
        (("secret", "set", "x"), "nothing came in"),
    ],
)
def test_what_is_wrong_is_told_with_the_next_command(
    setpoint: Shell, words: tuple[str, ...], says: str
) -> None:
    found = setpoint(*words, stdin="y" if "Bad" in words else "")
    assert (found.code, says in found.err) == (2, True), found.err


def test_on_a_terminal_it_is_asked_for_twice_and_not_shown(here: Plane) -> None:
    command = [sys.executable, "-m", "setpoint", "secret", "set", "typed"]
    for second, code in ((VALUE, 0), ("other", 2)):
        leader, follower = pty.openpty()
        process = subprocess.Popen(  # noqa: S603 - ours
            command,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**os.environ, **here.setpoint.environment},
            start_new_session=True,
        )
        os.close(follower)
        shown = b""
        for answer in (VALUE, second):
            while not shown.endswith(b": "):
                shown += os.read(leader, 100)
            os.write(leader, f"{answer}\n".encode())
            shown += b"|"
        while True:
            try:
                piece = os.read(leader, 1000)
            except OSError:
                break
            shown += piece
        os.close(leader)
        assert process.wait(20) == code, shown
        assert VALUE.encode() not in shown


def test_keys_change_beside_a_control_plane_that_runs(here: Plane, setpoint: Shell, tmp_path: Path) -> None:
    setpoint("secret", "set", "rotated", stdin=VALUE)
    data = here.run.application.scheduler.store._files.path  # type: ignore[attr-defined]
    folder = str(data if data.is_dir() else data.parent)
    command = [sys.executable, "-m", "setpoint", "rotate-keys", "--data", folder]
    new = tmp_path / "new.key"
    before = (Path(folder) / "master.key").read_text()
    for more, says in (
        ((), "acme: key 2 is in force, and everything"),
        (("--organization", "acme"), "acme: key 3 is in force"),
        (("--master", str(new)), "keys were wrapped anew"),
    ):
        done = subprocess.run([*command, *more], capture_output=True, text=True, check=False, timeout=240)  # noqa: S603
        assert (done.returncode, says in done.stderr) == (0, True), done.stderr
    assert (Path(folder) / "master.key").read_text() == new.read_text() != before
    assert setpoint("secret", "set", "rotated", stdin="another").code == 0
    wrong = subprocess.run(  # noqa: S603
        [*command, "--organization", "nobody"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (wrong.returncode, "there is no organization nobody" in wrong.stderr) == (1, True)
