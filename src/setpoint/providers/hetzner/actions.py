"""The vendor's own long work: an action is asked for, then watched until it ends."""

import asyncio
from typing import Any, Final

from setpoint.engine.errors import Rejected, Transient
from setpoint.providers.transport import Transport

AnyJson = Any
POLL_SECONDS: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)


async def finished(transport: Transport, action: AnyJson) -> None:
    """Returns when the action succeeded; the journal's deadline bounds the waiting."""
    tries = 0
    while action["status"] == "running":
        await asyncio.sleep(POLL_SECONDS[min(tries, len(POLL_SECONDS) - 1)])
        tries += 1
        try:
            answer = await transport.follow(f"/actions/{action['id']}")
        except Transient as error:
            if error.retry_after is not None:
                # Told to wait: nothing is wrong with the action, which goes on meanwhile.
                await asyncio.sleep(error.retry_after)
                continue
            # The action was accepted: whatever became of it, it may have landed.
            raise Transient(str(error), landed=True) from error
        action = answer["action"]
    if action["status"] == "error":
        said = action["error"] or {"code": "unknown", "message": "no reason given"}
        raise Rejected(f"{action['command']} ended in {said['code']}: {said['message']}")
