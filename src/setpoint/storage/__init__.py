"""Where everything durable lives: memory for simulation, SQLite for one process, PostgreSQL for many."""
