"""Whether somebody waits for what is being done now: read by whoever rations calls to a provider."""

from contextvars import ContextVar

URGENT: ContextVar[bool] = ContextVar("urgent", default=False)
