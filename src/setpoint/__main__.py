"""Parse, build, run. Imports are inside: starting fast matters more than the order of imports."""

import errno
import os
import sys
from collections.abc import Mapping

FOR_LOOPS = ("new", "run")
"""Verbs of loop files alone; the others are for loop files where a word ends in `.py`."""
SERVICES = ("up", "api", "worker", "scheduler", "agent", "sim", "demo")
LOCAL = (*SERVICES, "migrate", "check", "backup", "restore", "rotate-keys", "alerts")
HALTS = (["pause"], ["resume"])
"""Verbs for the API, or with `--data` for the switch file of a folder."""
DONE = 0
FAILED = 1
INTERRUPTED = 130
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
DEMO_FILE = ".setpoint/demo.json"


def main() -> None:
    """The command line: whatever happens to its output, it ends with an exit code and no traceback."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # Closed by whoever called us, as with `>&-`.
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: PTH123, SIM115 - needed to the end
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # Whoever read us, as `head`, has seen enough.
        _silence()
        code = DONE
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            raise
        _silence()
        sys.stderr.write(f"error: the output cannot be written: {error.strerror or error}\n")
        code = FAILED
    sys.exit(code)


def _run(argv: list[str]) -> int:
    """One command; what argparse ends by itself comes back as its code."""
    if argv[:1] == ["help"] and argv[1:]:
        argv = [*argv[1:], "--help"]
    try:
        if argv and argv[0] in LOCAL:
            from setpoint.local import run  # noqa: PLC0415

            return run(argv[0], argv[1:], os.environ)
        if argv[:1] in HALTS and any(word.partition("=")[0] == "--data" for word in argv):
            from setpoint.local import run  # noqa: PLC0415

            return run(argv[0], argv[1:], os.environ)
        if argv and (argv[0] in FOR_LOOPS or any(word.endswith(".py") for word in argv)):
            from setpoint.loop.commands import command  # noqa: PLC0415

            if argv[0] in FOR_LOOPS or command.file_in(argv):
                return command.main(argv, os.environ, command.Streams(sys.stdin, sys.stdout, sys.stderr))
        from setpoint.cli.remote import main as remote  # noqa: PLC0415

        return remote(argv, _environment(), stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED if ended.code else DONE


def _silence() -> None:
    from setpoint.cli.screen import silence  # noqa: PLC0415

    silence(sys.stdout)


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
