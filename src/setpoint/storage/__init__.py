"""Where everything durable lives: in memory for simulation, in SQLite for one process."""
