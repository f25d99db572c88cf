"""Setpoint holds infrastructure at what was declared."""
