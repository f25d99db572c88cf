"""The end of the service, told ahead of time: not ready from then on, and streams close by themselves."""

from collections.abc import Callable


class Drain:
    """Begins once and never ends."""

    def __init__(self) -> None:
        self._begun = False
        self._told: dict[object, Callable[[], None]] = {}

    @property
    def begun(self) -> bool:
        return self._begun

    def begin(self) -> None:
        self._begun = True
        for tell in tuple(self._told.values()):
            tell()

    def listen(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Call `tell` when it begins; returns how to stop."""
        place = object()
        self._told[place] = tell

        def forget() -> None:
            self._told.pop(place, None)

        return forget
