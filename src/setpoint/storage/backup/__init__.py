"""Backups: one file format for every store, so that what SQLite wrote can be restored into PostgreSQL."""

from setpoint.storage.backup.reading import Backup, rows_in, verified
from setpoint.storage.backup.restoring import first_change, placeless
from setpoint.storage.backup.writing import Writing

__all__ = ["Backup", "Writing", "first_change", "placeless", "rows_in", "verified"]
