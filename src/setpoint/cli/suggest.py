"""Did you mean: the closest known word, if one is close."""

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str:
    """The known word nearest to this one; empty when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - needed only after a mistake

    near = get_close_matches(word.lower(), list(known), 1, 0.6)
    return near[0] if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """One line, or none."""
    near = closest(word, known)
    return (f"did you mean {near}?",) if near else ()
