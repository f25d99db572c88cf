"""Setpoint holds infrastructure at what was declared."""

__version__ = "0.1.0"
