"""Exit codes, and the one way a verb ends early."""

from enum import IntEnum


class Exit(IntEnum):
    """Documented and stable."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PENDING = 3
    HELD = 4
    TIMED_OUT = 5
    REFUSED = 6
    UNREACHABLE = 7
    INTERRUPTED = 130


MEANINGS = {
    Exit.DONE: "done, or in step",
    Exit.FAILED: "failed",
    Exit.USAGE: "the command or a file is wrong; nothing was changed",
    Exit.PENDING: "drift or a pending change",
    Exit.HELD: "held, needs a person",
    Exit.TIMED_OUT: "timed out waiting",
    Exit.REFUSED: "refused: no valid token, or no permission",
    Exit.UNREACHABLE: "the API cannot be reached",
    Exit.INTERRUPTED: "interrupted",
}


class Stop(Exception):
    """A verb ends here: what is the matter, the exit code, and what to do next, one line each."""

    def __init__(self, message: str, exit_code: Exit = Exit.USAGE, next_steps: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.next_steps = next_steps
        self.lines: tuple[str, ...] = ()
        """What is shown before the message, as it is."""
        self.body: dict[str, object] = {}
        """What a reader of JSON gets besides the message."""
