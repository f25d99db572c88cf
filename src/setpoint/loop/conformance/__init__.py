"""A conformance kit for loops: it plays with yours, finds what breaks a promise, and names the cure."""

import sys
from collections.abc import Mapping
from typing import Any

from setpoint.loop.conformance.bench import Rules
from setpoint.loop.conformance.check import Check
from setpoint.loop.conformance.checks import CHECKS
from setpoint.loop.conformance.examine import examined
from setpoint.loop.conformance.process import Make
from setpoint.loop.conformance.report import Finding, Report
from setpoint.loop.keyed import Keyed

__all__ = ["CHECKS", "Check", "Finding", "Report", "assert_loop"]


def assert_loop(
    make: type[Keyed] | Make,
    *,
    sample: Mapping[str, Any] | None = None,
    accept: Mapping[str, str] | None = None,
    timeout: float = 10.0,
    crash_points: int = 160,
) -> Report:
    """Raise one AssertionError that lists everything wrong with a loop; return what was checked.

    `make` is the class, or whatever gives a fresh instance each time, as a fresh process would have one, on a
    scratch world that the test has set up. It is played with and put back. Keys to play with are made up from
    what the loop wants, unless `sample` gives some. `accept` is a check's name with a written reason why this
    loop may break it. `timeout` is for one call. Where the world is served by the event loop of the test
    itself, call it as `await asyncio.to_thread(assert_loop, make)`: else that event loop waits for us.
    """
    unknown = sorted((accept or {}).keys() - {check.name for check in CHECKS})
    if unknown:
        raise ValueError(f"there is no check {unknown[0]!r}; there are {', '.join(c.name for c in CHECKS)}")
    if not all(reason.strip() for reason in (accept or {}).values()):
        raise ValueError("a check is accepted as failing only with a reason")
    report = examined(make, Rules(timeout, crash_points, sample), accept or {})
    sys.stdout.write(f"{report}\n")
    if report.findings:
        raise AssertionError(str(report))
    return report
