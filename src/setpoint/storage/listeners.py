"""Who wants to hear that something was committed."""

import logging
from collections.abc import Callable
from typing import Protocol

_log = logging.getLogger(__name__)

Heard = Callable[[frozenset[str]], None]


class Messenger(Protocol):
    """Carries hints between processes, both ways; what it loses costs time and nothing else."""

    def tell(self, moved: frozenset[str]) -> None: ...

    async def close(self) -> None: ...


class Listeners:
    """Told after each commit; a hint only, so nothing a listener does can harm the commit."""

    def __init__(self) -> None:
        self._heard: dict[object, Heard] = {}

    def add(self, heard: Heard) -> Callable[[], None]:
        """From now on `heard` is told; returns how to stop."""
        place = object()
        self._heard[place] = heard

        def stop() -> None:
            self._heard.pop(place, None)

        return stop

    def tell(self, moved: frozenset[str]) -> None:
        """Tell everyone, if anything moved."""
        if not moved:
            return
        for heard in tuple(self._heard.values()):
            try:
                heard(moved)
            except Exception:  # noqa: BLE001 - the commit is durable: its caller must not see this
                _log.exception("a listener failed after a commit")
