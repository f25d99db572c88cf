"""Running the table: each check in its order, what it found, and the world put back after each."""

import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from setpoint.loop.conformance.bench import Bench, Broke, Rules, Skipped, Untested
from setpoint.loop.conformance.check import Check
from setpoint.loop.conformance.checks import CHECKS
from setpoint.loop.conformance.process import Make
from setpoint.loop.conformance.report import Finding, Report
from setpoint.loop.conformance.words import listed
from setpoint.loop.conformance.world import differences

LOST: Final = "the world could not be put back after an earlier check"
EVEN_THEN: Final = ("create", "outside change", "fresh instance", "delete")
"""What tells why it could not be put back."""
_DELETE: Final = next(check for check in CHECKS if check.name == "delete")


@dataclass(slots=True)
class _Course:
    """How far it has come."""

    bench: Bench
    accepted: Mapping[str, str]
    passed: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    lost: bool = False

    def take(self, check: Check) -> None:
        """One check, unless something speaks against it."""
        failed = [finding.check.name for finding in self.findings if finding.check.name in check.after]
        if check.name in self.accepted:
            return
        if failed or (self.lost and check.name not in EVEN_THEN):
            self.skipped.append((check.name, f"because of {listed(failed)}" if failed else LOST))
            return
        try:
            self._judge(check, tuple(check.run(self.bench)))
        except Untested as why:
            self._untested(check, why)
        except Skipped as why:
            self.skipped.append((check.name, str(why)))
        except Broke as broke:
            self._judge(check, (str(broke),))
        self.lost = not self.bench.restore()

    def _untested(self, check: Check, why: Untested) -> None:
        """A finding of its own, once for each cause; on purpose where that is accepted."""
        known = {finding.check.name for finding in self.findings}
        if why.family in self.accepted or why.family in known:
            self.skipped.append((check.name, str(why)))
            return
        family = next(each for each in CHECKS if each.name == why.family)
        cure = (
            f'test it by other means, and say so: assert_loop(…, accept={{"{why.family}": "why, and how"}})'
        )
        self.findings.append(Finding(family, (f"could not be tested: {why}",), cure))

    def _judge(self, check: Check, happened: tuple[str, ...]) -> None:
        if happened:
            self.findings.append(Finding(check, happened))
        else:
            self.passed.append(check.name)


def examined(make: Make, rules: Rules, accepted: Mapping[str, str]) -> Report:
    """Every check of the table, in a thread of its own: whoever asks may be inside a running event loop."""
    reports: list[Report] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with warnings.catch_warnings():
                # Whoever dies half-way leaves things open; that is the point of it.
                warnings.simplefilter("ignore", ResourceWarning)
                reports.append(_examined(make, rules, accepted))
        except BaseException as error:  # noqa: BLE001 - raised again where it was asked for
            errors.append(error)

    thread = threading.Thread(target=work, name="assert_loop", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return reports[0]


def _examined(make: Make, rules: Rules, accepted: Mapping[str, str]) -> Report:
    bench = Bench(make, rules)
    course = _Course(bench, accepted)
    name = bench.process().loop.name()
    for check in CHECKS:
        course.take(check)
    left = _left(bench)
    if left and not course.findings:
        course.findings.append(
            Finding(_DELETE, (f"delete and put could not restore what was found: {left}",))
        )
    return Report(
        loop=name,
        passed=tuple(course.passed),
        findings=tuple(course.findings),
        skipped=tuple(course.skipped),
        accepted=tuple(accepted.items()),
        left=left,
    )


def _left(bench: Bench) -> str:
    """What is not as it was found, after the last attempt to make it so."""
    if bench.restore(bench.found):
        return ""
    try:
        return listed(differences(bench.found, bench.world()))
    except Broke as broke:
        return str(broke)
