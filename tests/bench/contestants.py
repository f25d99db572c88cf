"""Contestants for the bench's own tests: one that is right, and each way of not taking part."""

from bench.trial import Trial


def right(size: int) -> Trial:
    """With enough to do for its cost to be steady."""
    return Trial(lambda: size + 0 * sum(range(300_000)), lambda outcome: {"answer": outcome})


def wrong(size: int) -> Trial:
    return Trial(lambda: size, lambda outcome: {"answer": outcome + 1})


def without_peer(size: int) -> Trial:
    raise ImportError(f"a peer for {size} is not installed")


def dies(size: int) -> Trial:
    raise SystemExit(9)
