"""Finding what differs: full plans, plans with nothing new, plans after one event."""
