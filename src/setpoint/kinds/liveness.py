"""Absence in time: when silence means something, and since when it was noticed."""

from collections.abc import Iterable
from typing import Final, Literal

from setpoint.engine.entity import Condition
from setpoint.engine.moments import clock
from setpoint.engine.plan import Happening
from setpoint.engine.rows import Sign

ALIVE: Final = "AgentAlive"
MISSES: Final = 3
DISPUTED_SECONDS: Final = 86_400.0
"""So long a host is not well whose enrolment token was presented twice."""
HEARTBEAT_MISSING: Final = "host.heartbeat_missing"


def alive(sign: Sign | None, before: Iterable[Condition], heartbeat: float, now: float) -> Condition:
    """The condition that says whether we hear from an agent, kept unchanged while it stays the same."""
    if sign is None:
        return _since("Unknown", "NeverHeard", "not heard from yet", before, now)
    if now - sign.at > MISSES * heartbeat:
        return _since("False", "HeartbeatMissing", f"no heartbeat since {clock(sign.at, now)}", before, now)
    return _since("True", "Heartbeat", "heartbeats arrive", before, now)


def disputed(at: float, now: float) -> str:
    """Why an agent is not trusted as it was, while it is not; empty where it is."""
    if not at or now - at >= DISPUTED_SECONDS:
        return ""
    return (
        f"its enrolment token was presented a second time at {clock(at, now)}: "
        "if nobody of yours did that, delete the host and declare it again"
    )


def missed(condition: Condition, before: Iterable[Condition]) -> tuple[Happening, ...]:
    """Told once, when silence begins."""
    silent_before = any(old.type == ALIVE and old.status == "False" for old in before)
    if condition.status != "False" or silent_before:
        return ()
    return (Happening(type=HEARTBEAT_MISSING, message=condition.message),)


def due_in(sign: Sign | None, heartbeat: float, now: float) -> float:
    """When to look again so that silence is noticed when it becomes one."""
    if sign is None:
        return heartbeat
    return max(0.05, sign.at + MISSES * heartbeat - now + 0.05)


def _since(
    status: Literal["True", "False", "Unknown"],
    reason: str,
    message: str,
    before: Iterable[Condition],
    now: float,
) -> Condition:
    old = next((c for c in before if c.type == ALIVE and c.status == status), None)
    if old is not None and old.message == message:
        return old
    since = old.since if old is not None else now
    return Condition(type=ALIVE, status=status, reason=reason, message=message, since=since)
