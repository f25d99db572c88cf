"""The command line as a process: whatever becomes of its output, it ends with a code and no traceback."""

import os
import subprocess
import sys

import pytest

COMMANDS = (("--help",), ("version",), ("alerts",), ("help", "get"), ("explain", "--help"))


def ended(*words: str, out: int | str, unbuffered: str = "") -> tuple[int, str]:
    """Exit code and what was said on stderr."""
    around = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "SETPOINT_URL": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "setpoint", *words]
    if isinstance(out, int):
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=around, check=False)  # noqa: S603
    else:
        shell = ["sh", "-c", f'exec "$@" {out}', "sh", *command]
        done = subprocess.run(shell, stderr=subprocess.PIPE, env=around, check=False)  # noqa: S603
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_sentence(words: tuple[str, ...], unbuffered: str) -> None:
    code, said = ended(*words, out=">/dev/full", unbuffered=unbuffered)
    assert (code, said) == (1, "error: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("words", COMMANDS)
def test_a_closed_output_is_no_traceback(words: tuple[str, ...]) -> None:
    assert ended(*words, out=">&-") == (0, "")


def test_a_reader_that_left_is_no_failure() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    assert ended("--help", out=writer) == (0, "")
    os.close(writer)


@pytest.mark.parametrize("verb", ["get", "up", "explain"])
def test_help_of_a_verb_is_that_verbs_help(verb: str) -> None:
    command = [sys.executable, "-m", "setpoint", "help", verb]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert f"usage: setpoint {verb}" in done.stdout
