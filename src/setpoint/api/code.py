"""What is known of one error code."""

from msgspec import Struct


class Code(Struct, frozen=True):
    """The `code` of a problem document."""

    name: str
    status: int
    cause: str
    cure: str


class MistakeCode(Struct, frozen=True):
    """The `code` of one entry of its `errors`: one thing wrong with what was sent, at its pointer."""

    name: str
    cause: str
    cure: str
