"""Five errors, named after what happens next."""

import msgspec


class Mistake(msgspec.Struct, frozen=True, kw_only=True):
    """One thing wrong with what was sent, and where."""

    pointer: str
    code: str
    message: str
    hint: str = ""


class Transient(Exception):
    """Try again later. `landed`: the call may have taken effect although we got no answer."""

    def __init__(self, message: str, *, landed: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.landed = landed
        self.retry_after = retry_after


class Rejected(Exception):
    """Trying again will not help: what was asked is wrong. Lists every mistake."""

    def __init__(self, message: str, mistakes: tuple[Mistake, ...] = ()) -> None:
        super().__init__(message)
        self.mistakes = mistakes


class Missing(Exception):
    """It is not there, by an answer that can be trusted."""


class Conflict(Exception):
    """Somebody else was first: read again and decide anew."""


class Denied(Exception):
    """Not allowed: by a credential, a permission or the switch."""


Failure = Transient | Rejected | Missing | Conflict | Denied
FAILURES = (Transient, Rejected, Missing, Conflict, Denied)
