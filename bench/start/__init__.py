"""What starting costs: a command that answers and ends, and a service until its first good answer."""
