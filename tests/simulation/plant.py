"""How a bug gets into the live program: in place of a function, or into what replicas commit.

Nothing of this is undone: a process in which a bug was planted plays worlds with it and ends.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from setpoint.engine.errors import Transient
from setpoint.engine.store import Change
from simulation.shared_store import ReplicaStore

REACHED: Final = "planted bug reached"
"""Counted in the world where it happens: a bug that is never reached is not one that hides well."""


@dataclass(frozen=True)
class Bug:
    """One way to break the program, and the faults that bring it to light soonest."""

    name: str
    strong: tuple[str, ...]
    plant: Callable[[], None]


def plant(function: Callable[..., Any], instead: Callable[..., Any]) -> None:
    """Makes every caller of a function call this instead, whoever imported it; it gets the original first."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is no function: nothing can be planted there")
    original = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    original.__kwdefaults__ = function.__kwdefaults__
    slot = f"planted in {function.__qualname__}"

    def reach(*args: Any, **named: Any) -> Any:
        _count()
        return instead(original, *args, **named)

    function.__globals__[slot] = reach
    names = (slot if name == "PLANTED" else name for name in _call_planted.__code__.co_names)
    function.__code__ = _call_planted.__code__.replace(co_names=tuple(names))
    function.__defaults__ = function.__kwdefaults__ = None  # type: ignore[assignment]


def PLANTED(*args: Any, **named: Any) -> Any:  # noqa: N802 - a name to be replaced
    """Stands for what was planted: in each module it goes by a name of its own."""
    raise NotImplementedError


def _call_planted(*args: Any, **named: Any) -> Any:
    return PLANTED(*args, **named)


def edit_commits(
    edit: Callable[[Change], Change | None], swallows: Callable[[Change], bool] = lambda _: False
) -> None:
    """Changes what replicas commit; None is not committed. Failures of what it `swallows` are not told."""
    original = ReplicaStore.commit

    async def commit(self: ReplicaStore, change: Change) -> None:
        edited = edit(change)
        if edited != change:
            _count()
        if edited is None:
            return
        try:
            await original(self, edited)
        except Transient:
            if not swallows(change):
                raise
            _count()

    ReplicaStore.commit = commit  # type: ignore[method-assign]


def _count() -> None:
    loop: Any = asyncio.get_running_loop()
    loop.counted[REACHED] += 1
