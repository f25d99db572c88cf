"""`setpoint check`: what would go wrong, before it does; each line with its cure."""
