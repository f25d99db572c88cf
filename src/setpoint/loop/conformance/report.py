"""What the conformance kit found, as a value and in words."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from setpoint.loop.conformance.check import Check
from setpoint.loop.conformance.words import counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One promise that is not kept, and what happened."""

    check: Check
    happened: tuple[str, ...]
    cure: str = ""
    """Where it is another than the check's own."""

    def lines(self) -> Iterator[str]:
        yield f"{self.check.name}: {self.check.sentence}"
        yield from (f"    {each}" for each in self.happened)
        numbers = ", ".join(map(str, self.check.guarantees))
        yield f"    why it matters: {self.check.breaks}" + (f" (guarantee {numbers})" if numbers else "")
        yield f"    cure: {self.cure or self.check.cure}"


@dataclass(frozen=True, slots=True)
class Report:
    """Of one loop. `skipped` and `accepted` are names of checks with the reason."""

    loop: str
    passed: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    accepted: tuple[tuple[str, str], ...] = ()
    left: str = ""
    """What could not be put back, in words."""

    @property
    def ran(self) -> int:
        return len(self.passed) + len(self.findings)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        bad = f", {len(self.findings)} failed" if self.findings else ""
        yield f"{self.loop}: {counted(self.ran, 'check')}{bad}"
        for number, finding in enumerate(self.findings, start=1):
            yield ""
            first, *rest = finding.lines()
            yield f"{number}. {first}"
            yield from rest
        yield ""
        if self.passed:
            yield f"passed: {', '.join(self.passed)}"
        yield from (f"skipped: {', '.join(names)}: {why}" for why, names in _grouped(self.skipped).items())
        yield from (f"accepted: {name}: {why}" for name, why in self.accepted)
        if self.left:
            yield f"not put back: {self.left}"


def _grouped(reasons: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Reason -> the names that share it."""
    found: dict[str, list[str]] = {}
    for name, why in reasons:
        found.setdefault(why, []).append(name)
    return found
