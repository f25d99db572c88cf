"""Waits for a condition, however slow the machine is: counting turns of a loop is a clock in disguise."""

import asyncio
from collections.abc import Callable

PATIENCE = 60.0
AT_ONCE = 200  # Turns without a pause: enough for most, and nobody waits.


async def until(is_so: Callable[[], object], story: Callable[[], object] = lambda: "") -> None:
    """Lets everybody run until this holds; in vain, it shows how things stand."""
    turns = 0
    try:
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                await asyncio.sleep(0 if turns < AT_ONCE else 0.001)
                turns += 1
    except TimeoutError as error:
        raise AssertionError(f"waited {PATIENCE:.0f} s in vain; {story()}") from error
