"""What is not as it should be in a scope, worst first; what was never looked at is not among it."""

from collections.abc import AsyncGenerator
from typing import Final

from msgspec import to_builtins

from setpoint.api.paging import check
from setpoint.engine.entity import Declared, Scope, State
from setpoint.engine.errors import Mistake
from setpoint.engine.store import UNWELL, Store

WORST: Final = (State.FAILED, State.HELD, State.DEGRADED, State.PENDING)


async def unwell(
    store: Store, scope: Scope, step: int, token: str = ""
) -> AsyncGenerator[tuple[str, Declared], None]:
    """Each with the token of those that follow it, read in steps as they are asked for."""
    start, after = _place(token)
    wanted = {**to_builtins(scope), "kind": "", "text": "", "limit": step}
    for state in WORST[start:]:
        while rows := await store.read(UNWELL, **wanted, state=state, after=after):
            for row in rows:
                yield f"{state}:{row.ref}", row
            after = rows[-1].ref
            if len(rows) < step:
                break
        after = ""


def _place(token: str) -> tuple[int, str]:
    """Where to begin: at which state, after which ref."""
    state, _, after = token.partition(":")
    if token and state not in WORST:
        message = "page_token is not one of this list; begin again without it"
        check([Mistake(pointer="", code="bad_parameter", message=message)])
    return (WORST.index(State(state)), after) if token else (0, "")
