"""Which of our functions ran, in the order each was first called."""

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

OURS = "setpoint."


@contextlib.contextmanager
def trail() -> Iterator[list[str]]:
    """`engine.reconcile.Reconciler.reconcile` and so on; filled while the block runs."""
    passed: dict[str, None] = {}
    found: list[str] = []

    def note(frame: FrameType, what: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if what == "call" and module.startswith(OURS):
            passed.setdefault(f"{module.removeprefix(OURS)}.{frame.f_code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        found += passed
