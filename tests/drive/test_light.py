"""What a loop file loads: the machinery brings nothing with it but msgspec and the standard library."""

import subprocess
import sys

import pytest

HEAVY = "prometheus_client starlette aiohttp uvicorn yaml asyncpg"
SCRIPT = """
import sys
import {module}
print([name for name in sys.modules if name.partition(".")[0] in {heavy}])
"""


@pytest.mark.parametrize(
    "module",
    ["setpoint.drive.drive", "setpoint.drive.meter", "setpoint.drive.runtime", "setpoint.scheduler.service"],
)
def test_it_comes_alone(module: str) -> None:
    script = SCRIPT.format(module=module, heavy=HEAVY.split())
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    assert done.stdout.strip() == "[]"
