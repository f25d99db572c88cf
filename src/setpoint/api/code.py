"""What is known of one error code."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """The `code` of a problem document."""

    name: str
    status: int
    cause: str
    cure: str


@dataclass(frozen=True, slots=True)
class MistakeCode:
    """The `code` of one entry of its `errors`: one thing wrong with what was sent, at its pointer."""

    name: str
    cause: str
    cure: str
