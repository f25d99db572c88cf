"""Waiting for goals, live: one line per change, and at every moment what is still missing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from setpoint.cli.exits import Exit
from setpoint.cli.goals import Goal, Standing, moved
from setpoint.cli.listing import SYMBOLS
from setpoint.cli.screen import Screen
from setpoint.cli.text import clip, duration, plural
from setpoint.client.resource import Happening, Object
from setpoint.client.stream import Stream
from setpoint.system import monotonic, now

TICK: Final = 1.0
LOOK_AGAIN: Final = 2.0
"""What is waited for is read again this often: a watch misses nothing, but being sure is cheap."""
SAID_AGAIN: Final = 15.0
SHOWN_AGAIN: Final = 0.1


@dataclass(frozen=True, slots=True)
class Waiting:
    """How to wait: events from `stream`, the objects themselves from `read`, at most `timeout` seconds."""

    screen: Screen
    stream: Stream
    read: Callable[[Sequence[Goal]], Mapping[str, Object]]
    timeout: float


@dataclass
class _Watch:
    """Everything that changes while waiting."""

    standings: dict[str, Standing]
    deadline: float
    told: dict[str, str] = field(default_factory=dict)
    open: dict[str, Standing] = field(default_factory=dict)
    """Those still waited for, so that a thousand others need not be looked through at every event."""
    failed: bool = False
    looked_at: float = 0.0
    shown_at: float = 0.0
    said_at: float = 0.0


def follow(waiting: Waiting, goals: Sequence[Goal], seen: Mapping[str, Object]) -> list[Standing]:
    """Until every goal is reached, held or failed, or time is up. `seen`: what is known to begin with."""
    started = monotonic()
    watch = _Watch(
        {goal.ref: Standing(goal, seen.get(goal.ref)) for goal in goals},
        deadline=started + waiting.timeout,
        looked_at=started,
        said_at=started,
    )
    watch.open.update((ref, one) for ref, one in watch.standings.items() if one.verdict == "waiting")
    # How things stood before is not news; only what changes from here on is told.
    watch.told.update((goal.ref, watch.standings[goal.ref].line) for goal in goals)
    watch.failed = any(one.verdict == "failed" for one in watch.standings.values())
    while watch.open and not _only_degraded(watch) and monotonic() < watch.deadline:
        _turn(waiting, watch)
    waiting.screen.live("")
    return list(watch.standings.values())


def _only_degraded(watch: _Watch) -> bool:
    """Whether all that is waited for is what something that failed is a part of: a zone with a bad record."""
    states = (one.found.state if one.found else "" for one in watch.open.values())
    return watch.failed and all(state == "DEGRADED" for state in states)


def exit_for(standings: Sequence[Standing]) -> Exit:
    """Failed is worse than held, and held is worse than late."""
    verdicts = {standing.verdict for standing in standings}
    if "failed" in verdicts:
        return Exit.FAILED
    if "held" in verdicts:
        return Exit.HELD
    return Exit.TIMED_OUT if "waiting" in verdicts else Exit.DONE


def stamp() -> str:
    return datetime.fromtimestamp(now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _turn(waiting: Waiting, watch: _Watch) -> None:
    left = watch.deadline - monotonic()
    event = waiting.stream.next(min(TICK, max(0.0, left)))
    if event is not None:
        _hear(waiting.screen, watch, event)
    if monotonic() - watch.looked_at > LOOK_AGAIN:
        watch.looked_at = monotonic()
        _look(waiting, watch)
    _report(waiting, watch)


def _hear(screen: Screen, watch: _Watch, event: Happening) -> None:
    standing = watch.standings.get(event.ref)
    if standing is None:
        return
    _note(screen, watch, moved(standing, event))


def _look(waiting: Waiting, watch: _Watch) -> None:
    missing = [standing.goal for standing in watch.open.values()]
    found = waiting.read(missing)
    for goal in missing:
        before = watch.standings[goal.ref]
        _note(waiting.screen, watch, Standing(goal, found.get(goal.ref), before.told))


def _note(screen: Screen, watch: _Watch, standing: Standing) -> None:
    watch.standings[standing.goal.ref] = standing
    watch.failed = watch.failed or standing.verdict == "failed"
    if standing.verdict == "waiting":
        watch.open[standing.goal.ref] = standing
    else:
        watch.open.pop(standing.goal.ref, None)
    _tell(screen, watch, standing)


def _tell(screen: Screen, watch: _Watch, standing: Standing) -> None:
    """One line per change; the same words are not said twice about the same thing."""
    line = standing.line
    if watch.told.get(standing.goal.ref) == line:
        return
    watch.told[standing.goal.ref] = line
    state = standing.found.state if standing.found else "READY"
    symbol = SYMBOLS.get(state, "?") if standing.found else "-"
    if screen.stdout.isatty():
        words = clip(f"{symbol} {line}", screen.columns or len(line) + 2)
        screen.tell(screen.paint(words, state))
    else:
        screen.tell(f"{stamp()} {screen.paint(f'{symbol} {line}', state)}")


def _report(waiting: Waiting, watch: _Watch) -> None:
    """What is missing: always on the last line of a terminal, now and then elsewhere."""
    if not watch.open or monotonic() - watch.shown_at < SHOWN_AGAIN:
        return
    watch.shown_at = monotonic()
    done = len(watch.standings) - len(watch.open)
    first = next(iter(watch.open.values()))
    waited = duration(waiting.timeout - (watch.deadline - monotonic()))
    words = f"{done} of {plural(len(watch.standings), 'object')} there after {waited}; {first.missing}"
    waiting.screen.live(words)
    if not waiting.screen.is_live and monotonic() - watch.said_at > SAID_AGAIN:
        watch.said_at = monotonic()
        waiting.screen.say(f"{stamp()} {words}")
