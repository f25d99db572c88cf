"""What a check is: one promise that a loop makes, what breaks with it, and the cure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from setpoint.loop.conformance.bench import Bench


@dataclass(frozen=True, slots=True)
class Check:
    """One promise that a loop makes to the engine."""

    name: str
    sentence: str
    breaks: str
    """Why it matters."""
    cure: str
    run: Callable[[Bench], Iterator[str]]
    """Plays with the loop and yields what happened, in words; nothing: all is well."""
    guarantees: tuple[int, ...] = ()
    """Those that no longer hold, by their numbers in SAFETY.md."""
    after: tuple[str, ...] = ()
    """Where one of these failed, this one would only say so again."""
