"""What happens in an open demo, a line for each change of state or decision, until it is stopped."""

import asyncio
from collections.abc import Callable
from typing import Final

from setpoint.cli.listing import SYMBOLS
from setpoint.cli.text import clean, clip
from setpoint.client.address import Scope
from setpoint.client.client import Client
from setpoint.client.errors import Refused, Unreachable
from setpoint.client.resource import Happening
from setpoint.demo.fleet import ORGANIZATION

TICK_SECONDS: Final = 0.5
TOLD: Final = ("entity.state_changed", "entity.deleted", "plan.", "host.", "alert.", "observation.")
"""What begins so is worth a line; the rest is for `setpoint watch`."""


async def follow(
    client: Client, say: Callable[[str], None], stopped: asyncio.Event, columns: int | None
) -> None:
    """Every event worth a line, from now on."""
    with await asyncio.to_thread(client.watch, Scope(ORGANIZATION)) as stream:
        while not stopped.is_set():
            try:
                event = await asyncio.to_thread(stream.next, TICK_SECONDS)
            except (Refused, Unreachable) as error:
                say(f"the feed ended: {error}")
                await stopped.wait()
                return
            if event is not None and event.type.startswith(TOLD):
                line = line_of(event)
                say(clip(line, columns) if columns else line)


def line_of(event: Happening) -> str:
    """`12:03:44 ~ host/web-2 PENDING  missing at the provider`."""
    found, gone = event.object, event.type.endswith("deleted")
    title = f"{found.kind}/{found.name} {found.state}" if found else event.ref
    symbol = "-" if gone else SYMBOLS.get(found.state, " ") if found else " "
    return clean(f"  {event.at[11:19]} {symbol} {title}  {event.message}")
