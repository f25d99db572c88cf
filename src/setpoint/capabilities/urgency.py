"""What whoever calls a provider must know of what is done now: who waits for it, how long it may take."""

from contextvars import ContextVar
from math import inf

URGENT: ContextVar[bool] = ContextVar("urgent", default=False)
"""Whether somebody waits for it: read by whoever rations calls."""

BEHALF: ContextVar[str] = ContextVar("behalf", default="")
"""For which organization it is done: what is rationed by organization is counted there."""

UNTIL: ContextVar[float] = ContextVar("until", default=inf)
"""Until when it may still be sent, on the event loop's clock."""
