"""SQLite: one process enforces, any number may look and decide."""

from setpoint.storage.sqlite.migrate import down, pending
from setpoint.storage.sqlite.store import SqliteStore, open_sqlite

__all__ = ["SqliteStore", "down", "open_sqlite", "pending"]
