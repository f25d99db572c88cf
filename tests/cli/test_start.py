"""Starting is cheap: nothing heavy is loaded that the verb does not need."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from setpoint import __version__

HEAVY = (
    "importlib.metadata",
    "msgspec",
    "rich",
    "yaml",
    "asyncio",
    "http.client",
    "argparse",
    "starlette",
    "setpoint.engine",
    "secrets",
)
PROBE = """
import io, sys
from setpoint.cli.remote import main
streams = {name: io.StringIO() for name in ("stdin", "stdout", "stderr")}
main(sys.argv[1:], {"SETPOINT_URL": "http://127.0.0.1:1"}, **streams)
print(*(name for name in %r if name in sys.modules))
"""
LATER = ["aiohttp", "rich", "asyncpg", "temporalio", "importlib.metadata"]
SERVED = """
import asyncio, sys, urllib.request
from setpoint.settings import Settings
from setpoint.up import running

async def main():
    async with running(Settings(data=sys.argv[1], port=0)) as run:
        asked = lambda: urllib.request.urlopen(run.url + "/readyz").status
        assert await asyncio.to_thread(asked) == 200
        print(*(name for name in %r if name in sys.modules))

asyncio.run(main())
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
    found = subprocess.run(probe, capture_output=True, text=True, check=True, timeout=240)  # noqa: S603
    assert set(found.stdout.split()) <= loaded


def test_a_control_plane_answers_before_it_loads_what_only_later_work_needs(tmp_path: Path) -> None:
    """Clients of providers come with the first call, the log with its first line."""
    probe = [sys.executable, "-c", SERVED % (LATER,), str(tmp_path)]
    found = subprocess.run(probe, capture_output=True, text=True, check=True, timeout=240)  # noqa: S603
    assert found.stdout.split() == []


def test_the_version_is_that_of_the_package() -> None:
    """It is written down twice, because asking the package costs more than all else that `version` does."""
    package = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert package["project"]["version"] == __version__
