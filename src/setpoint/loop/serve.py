"""`serve(*loops)` at the end of a loop file: `python flags.py plan` is `setpoint plan flags.py`."""

import os
import sys
from pathlib import Path

from setpoint.loop.file import loading
from setpoint.loop.keyed import Keyed


def serve(*loops: Keyed) -> None:
    """Runs the verb on the command line over these loops, and ends the process with its exit code."""
    if loading() is not None:
        return  # `setpoint plan flags.py` is reading this file: it finds the loops itself.
    # Not at the top: a file that is only imported, as by its test, pays nothing for this.
    from setpoint.loop.commands.command import Streams, run_itself  # noqa: PLC0415

    caller = Path(sys._getframe(1).f_globals.get("__file__", sys.argv[0]))
    streams = Streams(sys.stdin, sys.stdout, sys.stderr)
    sys.exit(run_itself(sys.argv[1:], os.environ, streams, (_as_typed(caller), loops)))


def _as_typed(file: Path) -> Path:
    """The same file as it was named on the command line: so are the commands that lead on."""
    typed = Path(sys.argv[0])
    return typed if typed.exists() and typed.samefile(file) else file
