"""One turn of a task: how a step went, and how often it went just so."""

import msgspec


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The same again is counted, not told again."""

    step: str
    state: str  # Of the task, after it.
    said: str
    first: float
    last: float
    times: int = 1
