"""Which version this is, found without loading anything else of ours."""

import sys
from importlib.metadata import version


def facts() -> dict[str, str]:
    return {"version": version("setpoint"), "python": ".".join(map(str, sys.version_info[:3]))}


def line() -> str:
    found = facts()
    return f"setpoint {found['version']} (Python {found['python']})"
