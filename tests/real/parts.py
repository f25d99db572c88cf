"""Real programs that tests use: a missing one is a visible skip, or a failure where parts are required."""

import os
import shutil

import pytest

REQUIRED = "SETPOINT_REQUIRE_PARTS"


def part(program: str, package: str) -> str:
    """The path of a real program; `package` is what installs it."""
    found = shutil.which(program)
    if found is not None:
        return found
    reason = f"{program} is not here; install the Debian package {package}"
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)
