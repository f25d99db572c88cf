"""Sites to check, and somebody else than root to check them as."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setpoint import system
from setpoint.check.finding import Site
from setpoint.settings import Settings

NOBODY = 65534


def site(data: Path, token: str = "", environment: dict[str, str] | None = None, **settings: Any) -> Site:
    """`url` is where the running one answers; all else are settings."""
    url = settings.pop("url", "")
    made = Settings(data=str(data), **settings)
    return Site(made, environment or {}, token, system.now, system.monotonic, url)


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everywhere: somebody else may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
