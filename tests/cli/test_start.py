"""Starting is cheap: nothing heavy is loaded that the verb does not need."""

import subprocess
import sys

import pytest

HEAVY = ("msgspec", "rich", "yaml", "asyncio", "http.client", "argparse", "starlette", "setpoint.engine")
PROBE = """
import io, sys
from setpoint.cli.remote import main
streams = {name: io.StringIO() for name in ("stdin", "stdout", "stderr")}
main(sys.argv[1:], {"SETPOINT_URL": "http://127.0.0.1:1"}, **streams)
print(*(name for name in %r if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("command", "loaded"),
    [
        (("version",), set()),
        (("--help",), set()),
        (("version", "-o", "json"), {"argparse"}),
        (("get", "--help"), {"argparse"}),
        (("get", "hosts"), {"argparse", "http.client"}),
    ],
)
def test_a_verb_loads_only_what_it_needs(command: tuple[str, ...], loaded: set[str]) -> None:
    probe = [sys.executable, "-c", PROBE % (HEAVY,), *command]
    found = subprocess.run(probe, capture_output=True, text=True, check=True, timeout=30)  # noqa: S603
    assert set(found.stdout.split()) <= loaded
