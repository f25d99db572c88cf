"""Which version this is, found without loading anything else of ours."""

import sys

from setpoint import __version__


def facts() -> dict[str, str]:
    return {"version": __version__, "python": ".".join(map(str, sys.version_info[:3]))}


def line() -> str:
    found = facts()
    return f"setpoint {found['version']} (Python {found['python']})"
