"""Parse, build, run. Imports are inside: starting fast matters more than the order of imports."""

import os
import sys
from collections.abc import Mapping

FOR_LOOPS = ("new", "run")
"""Verbs of loop files alone; the others are for loop files where a word ends in `.py`."""
SERVICES = ("up", "api", "worker", "scheduler", "agent", "sim", "demo")
LOCAL = (*SERVICES, "migrate", "check", "backup", "restore", "rotate-keys", "alerts")
FAILED = 1
INTERRUPTED = 130
DEMO_FILE = ".setpoint/demo.json"


def main() -> None:
    """The command line."""
    argv = sys.argv[1:]
    try:
        if argv and argv[0] in LOCAL:
            from setpoint.local import run  # noqa: PLC0415

            sys.exit(run(argv[0], argv[1:], os.environ))
        if argv and (argv[0] in FOR_LOOPS or any(word.endswith(".py") for word in argv)):
            _loop_file(argv)
        from setpoint.cli.remote import main as remote  # noqa: PLC0415

        sys.exit(remote(argv, _environment(), stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read us, as `head`, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)


def _loop_file(argv: list[str]) -> None:
    """`setpoint VERB FILE.py …` and `setpoint new loop NAME` end here; anything else comes back."""
    from setpoint.loop.commands import command  # noqa: PLC0415

    if argv[0] in FOR_LOOPS or command.file_in(argv):
        streams = command.Streams(sys.stdin, sys.stdout, sys.stderr)
        sys.exit(command.main(argv, os.environ, streams))


def _environment() -> Mapping[str, str]:
    """The environment; where a demo runs in this folder and nothing else is asked for, that demo's."""
    if "SETPOINT_URL" in os.environ or not os.path.exists(DEMO_FILE):  # noqa: PTH110 - pathlib costs 10 ms
        return os.environ
    import json  # noqa: PLC0415

    try:
        with open(DEMO_FILE) as file:  # noqa: PTH123 - as above
            found = json.load(file)
        return {**os.environ, "SETPOINT_URL": found["url"], "SETPOINT_TOKEN": found["token"]}
    except (OSError, ValueError, KeyError):
        return os.environ


if __name__ == "__main__":
    main()
