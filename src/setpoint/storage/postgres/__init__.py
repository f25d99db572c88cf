"""PostgreSQL: as many processes as wanted, each with its pen; the database decides between them."""

from setpoint.storage.postgres.migrate import down, pending, up
from setpoint.storage.postgres.store import PostgresStore, open_postgres

__all__ = ["PostgresStore", "down", "open_postgres", "pending", "up"]
