"""SQLite: one process enforces, any number may look and decide."""

from setpoint.storage.sqlite.migrate import Migration, down, pending
from setpoint.storage.sqlite.store import SqliteStore, open_sqlite

__all__ = ["Migration", "SqliteStore", "down", "open_sqlite", "pending"]
