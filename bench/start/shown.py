"""Commands that answer and end, each an interpreter of its own."""

import subprocess
import sys
from collections.abc import Mapping

from bench.start.children import cpu, environment
from bench.trial import Counts, Trial

NOBODY = "http://127.0.0.1:1"
"""Nobody listens there: a verb that asks is answered at once."""

Ended = list[subprocess.CompletedProcess[str]]


def bare(size: int) -> Trial:
    """The interpreter alone."""
    return _trial(("-c", "print('apply')"), size)


def ours_help(size: int) -> Trial:
    return _trial(("-m", "setpoint", "--help"), size)


def ours_version(size: int) -> Trial:
    return _trial(("-m", "setpoint", "version"), size, says="setpoint")


def ours_get(size: int) -> Trial:
    """All that a verb loads before it has its answer."""
    return _trial(("-m", "setpoint", "get", "hosts"), size, says="nothing listens there")


def ours_import(size: int) -> Trial:
    """All that a loop file loads before its first line of its own."""
    return _trial(("-c", "import setpoint.loop; print('apply')"), size)


def typer_help(size: int) -> Trial:
    import typer  # noqa: F401, PLC0415 - whoever has none cannot take part

    return _trial(("-m", "bench.start.typed", "--help"), size)


def click_help(size: int) -> Trial:
    import click  # noqa: F401, PLC0415 - as above

    return _trial(("-m", "bench.start.clicked", "--help"), size)


def _trial(arguments: tuple[str, ...], size: int, says: str = "apply") -> Trial:
    around = {**environment(), "SETPOINT_URL": NOBODY}

    def run() -> Ended:
        return [_ended(arguments, around) for _ in range(size)]

    def counts(found: Ended) -> Counts:
        return {"told": sum(says in each.stdout + each.stderr for each in found)}

    return Trial(run, counts, parts=size, cpu=cpu)


def _ended(arguments: tuple[str, ...], around: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=around)  # noqa: S603
