"""Three loops in one file: a class, an object with arguments, and a broken one that stops no other."""

from typing import Any

from setpoint.loop import Keyed

WANTED = {"a": 1, "b": 2}


class Held(Keyed):
    """What the others have in common; no loop of its own, for others are made from it."""

    every = "10s"

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def desired(self) -> dict[str, Any]:
        return WANTED

    def observe(self) -> dict[str, Any]:
        return dict(self.found)

    def put(self, key: str, value: Any) -> None:
        self.found[key] = value

    def delete(self, key: str) -> None:
        del self.found[key]


class Near(Held):
    """Made without arguments."""


class Far(Held):
    """Needs to know where."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place


class Crooked(Held):
    """Cannot run as it is."""

    every = "now and then"
    deletes_share = 7


far = Far("away")
