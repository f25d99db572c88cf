"""Loops to test with: a dictionary as the world, and an author who writes as tests want."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from setpoint.engine.rows import Act
from setpoint.loop import Keyed

SAMPLES = Path(__file__).parent / "samples"


class Shelf(Keyed):
    """Holds `found` at `wanted`; both are plain dictionaries, and every call is written down."""

    every = "30s"

    def __init__(self, wanted: dict[str, Any], found: dict[str, Any] | None = None) -> None:
        self.wanted = wanted
        self.found = dict(wanted if found is None else found)
        self.calls: list[tuple[Any, ...]] = []

    async def desired(self) -> Any:
        return self.wanted

    async def observe(self) -> Any:
        return dict(self.found)

    async def put(self, key: str, value: Any) -> None:
        self.calls.append(("put", key, value))
        self.found[key] = value

    async def delete(self, key: str) -> None:
        self.calls.append(("delete", key))
        self.found.pop(key, None)


class Attic(Shelf):
    """A shelf whose things are parked before they go; what is parked is not listed."""

    def __init__(self, wanted: dict[str, Any], found: dict[str, Any] | None = None) -> None:
        super().__init__(wanted, found)
        self.stored: dict[str, Any] = {}

    async def park(self, key: str, value: Any) -> None:
        self.calls.append(("park", key, value))
        self.stored[key] = self.found.pop(key)

    async def unpark(self, key: str, value: Any) -> None:
        self.calls.append(("unpark", key, value))
        self.found[key] = self.stored.pop(key)

    async def delete(self, key: str) -> None:
        self.calls.append(("delete", key))
        self.stored.pop(key, None)
        self.found.pop(key, None)


def saying(method: str, answer: Callable[[], Any]) -> Shelf:
    """A shelf on which one plain method answers this."""
    written = type("Shelf", (Shelf,), {method: lambda self, *args: answer()})
    return written({"a": 1}, {"a": 1, "b": 2})


def saying_async(method: str, answer: Callable[[], Any]) -> Shelf:
    """The same as a coroutine."""

    async def coroutine(self: Shelf, *args: Any) -> Any:
        return answer()

    return type("Shelf", (Shelf,), {method: coroutine})({"a": 1}, {"a": 1, "b": 2})


def done(acts: tuple[Act, ...]) -> list[tuple[str, str]]:
    """What was done, in the order it was done."""
    return [(act.verb.value, act.item) for act in acts]
