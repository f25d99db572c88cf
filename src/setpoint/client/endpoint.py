"""Where the API is and what opens it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address, a token that is never printed, and how long an answer may take."""

    url: str
    token: str = field(default="", repr=False)
    timeout: float = 30.0
    context: str = ""
    """What somebody calls this place, where it was chosen by its name."""

    @property
    def place(self) -> str:
        """As it is said to whoever is about to change something there."""
        return f"{self.url} (context {self.context})" if self.context else self.url
