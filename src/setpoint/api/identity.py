"""From a credential to whoever holds it, and what they may at this moment."""

from setpoint.access.subject import Subject, subject_of
from setpoint.engine.store import Store
from setpoint.engine.token import Token


async def subject_for(store: Store, token: Token) -> Subject:
    """Read anew at every request: what was taken from somebody is gone at the next one."""
    return subject_of(token)
