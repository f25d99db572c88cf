"""Where the API is and what opens it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address, a token that is never printed, and how long an answer may take."""

    url: str
    token: str = field(default="", repr=False)
    timeout: float = 30.0
