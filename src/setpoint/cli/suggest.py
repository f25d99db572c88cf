"""Did you mean: the closest known word, if one is close."""

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str:
    """The known word nearest to this one; empty when none is near."""
    from setpoint.nearest import nearest  # noqa: PLC0415 - needed only after a mistake

    return nearest(word, known)


def did_you_mean(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """One line, or none."""
    near = closest(word, known)
    return (f"did you mean {near}?",) if near else ()
