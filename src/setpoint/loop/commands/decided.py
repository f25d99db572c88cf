"""A verdict in one line: what was let through, what was held by which guard, what comes later."""

from setpoint.engine.guards import Verdict
from setpoint.loop.commands.outlook import counted


def decided(verdict: Verdict) -> str:
    """`+ 1 create; held by probation; 2 later`."""
    parts = [counted(verdict.allowed) or "nothing let through"]
    if verdict.holds:
        parts.append(f"held by {', '.join(_named(verdict))}")
    if verdict.later:
        parts.append(f"{verdict.later:,} later")
    if verdict.approval:
        parts.append("approved")
    return "; ".join(parts)


def held_more(before: Verdict, after: Verdict) -> tuple[str, ...]:
    """Guards that hold in the second and do not in the first."""
    known = {hold.guard for hold in before.holds}
    return tuple(hold.guard for hold in after.holds if hold.guard not in known)


def _named(verdict: Verdict) -> list[str]:
    return [f"{hold.guard} ({len(hold.items)})" if hold.items else hold.guard for hold in verdict.holds]
