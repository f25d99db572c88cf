"""A terminal that shows nothing of what is typed, for as long as a secret is."""

import contextlib
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def unseen(stream: TextIO) -> Iterator[None]:
    """Echo off where the stream is a terminal of its own; elsewhere there is none to turn off."""
    try:
        import termios  # noqa: PLC0415 - not everywhere, and only where somebody types a secret

        number = stream.fileno()
        before = termios.tcgetattr(number)
    except (ImportError, OSError, ValueError):
        yield
        return
    quiet = [*before]
    quiet[3] &= ~termios.ECHO
    try:
        termios.tcsetattr(number, termios.TCSAFLUSH, quiet)
        yield
    finally:
        termios.tcsetattr(number, termios.TCSAFLUSH, before)
